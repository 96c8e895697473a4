"""The network of the neural scorer: its sizes, and the parameters from which it starts to learn.

What is computed with them is in `encoder` (words, in their sentences) and `states` (the classes of
a state): the same numbers as in `core/network`, and their gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Numbers = Any  # an array of JAX or NumPy
Parameters = dict[str, Numbers]

PIECES = 3  # of the maxout of a word's vector


@dataclass(frozen=True)
class Shape:
    """The sizes of a network."""

    width: int
    layers: int
    hidden: int
    table_sizes: tuple[int, ...]  # rows of each field's table
    field_widths: tuple[int, ...]
    bag: int  # the field that has any number of rows; the others have one
    tag_sizes: tuple[int, ...]
    n_slots: int
    n_atom_rows: int
    n_classes: int
    fed_back: tuple[int, ...] = ()  # tag heads whose expected vector is added before parsing
    fixed: tuple[int, ...] = ()  # fields whose vectors are given, and not learned
    arcs: int = 0  # units of the head that scores arcs, which only helps to learn; 0: none
    parts: tuple[tuple[int, int], ...] = ()  # tag heads with parts: (head, how many)

    @property
    def given(self) -> set[str]:
        """The parameters that are not learned."""
        return {f"word.{i}" for i in self.fixed}


@dataclass(frozen=True)
class Dropout:
    """Shares of what is left out while learning."""

    word: float = 0.1  # forms that are taken for unknown
    input: float = 0.2
    layer: float = 0.2
    hidden: float = 0.2


def new_parameters(shape: Shape, seed: int, vectors: Numbers | None = None) -> Parameters:
    """Parameters to start from; `vectors` has the rows of the field that is fixed."""
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
    """Random numbers."""

    random: np.random.Generator

    def normal(self, *sizes: int, scale: float) -> Numbers:
        return (self.random.standard_normal(sizes) * scale).astype(np.float32)

    def matrix(self, n_out: int, n_in: int, gain: float = 1.0) -> Numbers:
        """What it makes of numbers is about as large as they are, times the gain."""
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
        found[f"tag.{i}"] *= np.float32(0.1)  # beside its parts, a class has little of its own
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
