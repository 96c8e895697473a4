"""The network of the neural scorer: its sizes, initial parameters, and pretrained word vectors.

`encoder` (words in context) and `losses` (classes of a state) compute the same numbers as
`core/network`, and their gradients.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dodona.treebank.conllu.files import open_input

Numbers = Any  # an array of NumPy or JAX
Parameters = dict[str, Numbers]
Arrays = dict[str, Numbers]  # of a batch, by name
Parts = dict[int, Numbers]  # tag head → matrix of classes and parts

PIECES = 3  # of the maxout of a word's vector
SPREAD = 0.5  # standard deviation after scaling: that of initial vectors
UNIT = 4  # widths are padded to a multiple of it


@dataclass(frozen=True)
class Shape:
    """The sizes of a network."""

    width: int
    layers: int
    hidden: int
    table_sizes: tuple[int, ...]  # rows of each field's table
    field_widths: tuple[int, ...]
    bag: int  # the field with any number of rows per type; others have one
    tag_sizes: tuple[int, ...]
    n_slots: int
    n_atom_rows: int
    n_classes: int
    fed_back: tuple[int, ...] = ()  # tag heads whose expected vectors are added to the slot inputs
    fixed: tuple[int, ...] = ()  # fields with pretrained vectors, which are not trained
    arcs: int = 0  # units of the auxiliary arc loss; 0: none
    parts: tuple[tuple[int, int], ...] = ()  # tag heads with parts: (head, number of parts)

    @property
    def given(self) -> set[str]:
        """The names of parameters that are not trained."""
        return {f"word.{i}" for i in self.fixed}


@dataclass(frozen=True)
class Dropout:
    """Dropout rates."""

    word: float = 0.1  # of forms, which become unknown
    input: float = 0.2
    layer: float = 0.2
    hidden: float = 0.2


def new_parameters(shape: Shape, seed: int, vectors: Numbers | None = None) -> Parameters:
    """Return initial parameters; `vectors` has the rows of the fixed field."""
    draw = _Draw(np.random.default_rng(seed))
    found = _of_words(shape, draw, vectors)
    for i in range(shape.layers):
        found |= {f"layer.{i}.{name}": value for name, value in _of_layer(shape, draw).items()}
    found["gain"] = np.ones(shape.width, np.float32)
    found |= _of_tags(shape, draw)
    if shape.arcs:
        found |= _of_arcs(shape, draw)
    return found | _of_states(shape, draw)


@dataclass(frozen=True)
class _Draw:
    """A source of random arrays."""

    random: np.random.Generator

    def normal(self, *sizes: int, scale: float) -> Numbers:
        return (self.random.standard_normal(sizes) * scale).astype(np.float32)

    def matrix(self, n_out: int, n_in: int, gain: float = 1.0) -> Numbers:
        """Return a matrix that multiplies the norm of its inputs by about the gain."""
        return self.normal(n_out, n_in, scale=gain * n_in**-0.5)


def _zeros(n: int) -> Numbers:
    return np.zeros(n, np.float32)


def _of_words(shape: Shape, draw: _Draw, vectors: Numbers | None) -> Parameters:
    found = {}
    for i, sizes in enumerate(zip(shape.table_sizes, shape.field_widths, strict=True)):
        is_given = i in shape.fixed
        found[f"word.{i}"] = (
            np.asarray(vectors, np.float32) if is_given else draw.normal(*sizes, scale=0.5)
        )
    found["word.maxout"] = draw.matrix(PIECES * shape.width, sum(shape.field_widths))
    found["word.maxout.bias"] = _zeros(PIECES * shape.width)
    return found


def _of_layer(shape: Shape, draw: _Draw) -> Parameters:
    d = shape.width
    return {
        "gain": np.ones(d, np.float32),
        "conv": draw.normal(3, d, scale=0.1) + np.array([[0], [1], [0]], np.float32),
        "in": draw.matrix(3 * d, d),
        "in.bias": _zeros(3 * d),
        "out": draw.matrix(d, d, gain=0.5),
        "out.bias": _zeros(d),
    }


def _of_tags(shape: Shape, draw: _Draw) -> Parameters:
    found = {}
    for i, n in enumerate(shape.tag_sizes):
        found[f"tag.{i}"] = draw.matrix(n, shape.width, gain=0.5)
        found[f"tag.{i}.bias"] = _zeros(n)
    for i, n in shape.parts:
        found[f"tag.{i}.parts"] = draw.matrix(n, shape.width, gain=0.5)
        found[f"tag.{i}"] *= np.float32(0.1)  # most of a class comes from its parts
    for i in shape.fed_back:
        found[f"tag.{i}.back"] = draw.normal(shape.width, shape.tag_sizes[i], scale=0.3)
    return found


def _of_arcs(shape: Shape, draw: _Draw) -> Parameters:
    return {
        "arc.dependent": draw.matrix(shape.arcs, shape.width),
        "arc.head": draw.matrix(shape.arcs, shape.width),
        "arc.bias": _zeros(shape.arcs),
        "arc.root": draw.normal(shape.width, scale=0.5),
    }


def _of_states(shape: Shape, draw: _Draw) -> Parameters:
    d, n_slots, hidden = shape.width, shape.n_slots, shape.hidden
    return {
        "missing": draw.normal(d, scale=0.5),
        "root": draw.normal(d, scale=0.5),
        "slot": draw.normal(n_slots * hidden, d, scale=(d * n_slots) ** -0.5),
        "atom": draw.normal(shape.n_atom_rows, hidden, scale=0.1),
        "hidden.bias": _zeros(hidden),
        "class": draw.matrix(shape.n_classes, hidden),
        "class.bias": _zeros(shape.n_classes),
    }


def read_vectors(path: str | Path) -> tuple[list[bytes], Numbers]:
    """Return the words of a file of GloVe or word2vec, or of NumPy arrays, and their vectors after
    one for unknown words.

    `NAME.npy` needs `NAME.words` beside it, with a word per line. In a text file a line is a word
    and its numbers, separated by spaces; a first line of two numbers is skipped; `.gz` files are
    decompressed.
    """
    words, rows = _read_npy(Path(path)) if str(path).endswith(".npy") else _read_text(Path(path))
    if rows.ndim != 2 or len(words) != len(rows) or not len(rows) or not np.isfinite(rows).all():
        raise ValueError(f"{path}: {len(words)} words, but vectors of the shape {rows.shape}")
    missing = -rows.shape[1] % UNIT
    rows = rows / max(float(rows.std()), 1e-9) * SPREAD
    return words, np.pad(rows, ((1, 0), (0, missing))).astype(np.float32)


def _read_npy(path: Path) -> tuple[list[bytes], Numbers]:
    words = path.with_suffix(".words")
    if not words.exists():
        raise ValueError(f"{path}: the file {words.name} with the words of the vectors is missing")
    rows = np.load(path, allow_pickle=False)
    return words.read_bytes().rstrip(b"\n").split(b"\n"), rows.astype(np.float32)


def _read_text(path: Path) -> tuple[list[bytes], Numbers]:
    words: list[bytes] = []
    rows: list[Numbers] = []
    with open_input(path)[0] as file:
        # an unbuffered file would be read byte by byte
        lines = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
        for number, line in enumerate(lines, 1):
            word, *values = line.rstrip(b"\n ").split(b" ")
            if number == 1 and len(values) == 1:
                continue
            try:
                row = np.array(values, np.float32)
            except ValueError:
                raise ValueError(f"{path}:{number}: expected a word and numbers") from None
            if rows and len(row) != len(rows[0]):
                raise ValueError(
                    f"{path}:{number}: {len(row)} numbers, but {len(rows[0])} in the lines before"
                )
            words.append(word)
            rows.append(row)
    return words, np.stack(rows) if rows else np.zeros((0, 0), np.float32)
