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

from dodona.treebank.conllu.errors import TreebankError
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
    random = np.random.default_rng(seed)
    d, n_slots, hidden = shape.width, shape.n_slots, shape.hidden

    def normal(*sizes: int, scale: float) -> Numbers:
        return (random.standard_normal(sizes) * scale).astype(np.float32)

    def matrix(n_out: int, n_in: int, gain: float = 1.0) -> Numbers:
        """Return a matrix that multiplies the norm of its inputs by about the gain."""
        return normal(n_out, n_in, scale=gain * n_in**-0.5)

    def zeros(n: int) -> Numbers:
        return np.zeros(n, np.float32)

    found: Parameters = {}
    for i, sizes in enumerate(zip(shape.table_sizes, shape.field_widths, strict=True)):
        is_given = i in shape.fixed
        own = np.asarray(vectors, np.float32) if is_given else normal(*sizes, scale=0.5)
        found[f"word.{i}"] = own
    found["word.maxout"] = matrix(PIECES * d, sum(shape.field_widths))
    found["word.maxout.bias"] = zeros(PIECES * d)
    for i in range(shape.layers):
        found |= {
            f"layer.{i}.gain": np.ones(d, np.float32),
            f"layer.{i}.conv": normal(3, d, scale=0.1) + np.array([[0], [1], [0]], np.float32),
            f"layer.{i}.in": matrix(3 * d, d),
            f"layer.{i}.in.bias": zeros(3 * d),
            f"layer.{i}.out": matrix(d, d, gain=0.5),
            f"layer.{i}.out.bias": zeros(d),
        }
    found["gain"] = np.ones(d, np.float32)
    for i, n in enumerate(shape.tag_sizes):
        found[f"tag.{i}"] = matrix(n, d, gain=0.5)
        found[f"tag.{i}.bias"] = zeros(n)
    for i, n in shape.parts:
        found[f"tag.{i}.parts"] = matrix(n, d, gain=0.5)
        found[f"tag.{i}"] *= np.float32(0.1)  # most of a class comes from its parts
    for i in shape.fed_back:
        found[f"tag.{i}.back"] = normal(d, shape.tag_sizes[i], scale=0.3)
    if shape.arcs:
        found |= {
            "arc.dependent": matrix(shape.arcs, d),
            "arc.head": matrix(shape.arcs, d),
            "arc.bias": zeros(shape.arcs),
            "arc.root": normal(d, scale=0.5),
        }
    return found | {
        "missing": normal(d, scale=0.5),
        "root": normal(d, scale=0.5),
        "slot": normal(n_slots * hidden, d, scale=(d * n_slots) ** -0.5),
        "atom": normal(shape.n_atom_rows, hidden, scale=0.1),
        "hidden.bias": zeros(hidden),
        "class": matrix(shape.n_classes, hidden),
        "class.bias": zeros(shape.n_classes),
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
        problem = f"{len(words)} words, but vectors of the shape {rows.shape}"
        raise TreebankError(str(path), None, problem)
    missing = -rows.shape[1] % UNIT
    rows = rows / max(float(rows.std()), 1e-9) * SPREAD
    return words, np.pad(rows, ((1, 0), (0, missing))).astype(np.float32)


def _read_npy(path: Path) -> tuple[list[bytes], Numbers]:
    words = path.with_suffix(".words")
    if not words.exists():
        problem = f"the file {words.name} with the words of the vectors is missing"
        raise TreebankError(str(path), None, problem)
    try:
        rows = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise TreebankError(str(path), None, f"no array of NumPy, or damaged: {error}") from None
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
                problem = "expected a word and numbers"
                raise TreebankError(str(path), number, problem) from None
            if rows and len(row) != len(rows[0]):
                problem = f"{len(row)} numbers, but {len(rows[0])} in the lines before"
                raise TreebankError(str(path), number, problem)
            words.append(word)
            rows.append(row)
    return words, np.stack(rows) if rows else np.zeros((0, 0), np.float32)
