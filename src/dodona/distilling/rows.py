"""Sentences in rows of a few lengths: for each of them JAX compiles once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dodona.distilling.subject import Spelled

# few, since to compile for a length takes a GPU longer than several epochs; and then, in steps:
LENGTHS = 20, 40, 80
STEP = 160

Numbers = Any  # an array of NumPy


@dataclass(frozen=True)
class Rows:
    """Some sentences of about one length, and arrays with a row for each, filled up."""

    sentences: Sequence[int]
    lengths: Numbers  # words, of as many as there are rows
    words: Numbers  # their numbers in all sentences
    places: tuple[Numbers, Numbers]  # the row of each word, and its place there
    arrays: dict[str, Numbers]

    def filled(self, values: Numbers, other: int) -> Numbers:
        """The values of these words, of those of all sentences, in rows."""
        shape = self.arrays["characters"].shape[:2]
        found = np.full((*values.shape[:-1], *shape), other, values.dtype)
        found[(..., *self.places)] = values[..., self.words]
        return found


def length_for(n_words: int) -> int:
    """The length of a row for so many words.

    >>> length_for(7), length_for(41), length_for(200)
    (20, 80, 320)
    """
    return next((n for n in LENGTHS if n >= n_words), -(-n_words // STEP) * STEP)


def in_rows(
    spelled: Spelled, order: Sequence[int], size: int, seed: int | None = None
) -> Iterator[Rows]:
    """All sentences of an order, about `size` words at a time; with a seed in random order."""
    alike: dict[int, list[int]] = {}
    for i in order:
        alike.setdefault(length_for(int(spelled.n_words[i])), []).append(i)
    batches = [
        (length, some[i : i + n])
        for length, some in sorted(alike.items())
        for n in [max(size // length, 1)]
        for i in range(0, len(some), n)
    ]
    if seed is not None:
        np.random.default_rng(seed).shuffle(batches)
    for length, some in batches:
        yield make_rows(spelled, some, length, max(size // length, 1))


def make_rows(spelled: Spelled, sentences: Sequence[int], length: int, n_rows: int) -> Rows:
    """Arrays for as many rows; those behind the last sentence have no words."""
    which = np.asarray(sentences, np.int64)
    lengths: Numbers = np.zeros(n_rows, np.int32)
    lengths[: len(which)] = spelled.n_words[which]
    row: Numbers = np.repeat(np.arange(n_rows), lengths)
    place = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    words = spelled.first[which][row] + place if len(row) else np.zeros(0, np.int64)
    types = spelled.types[words]
    arrays = {"lengths": lengths}
    for name, values in (("single", spelled.single), ("characters", spelled.characters)):
        filled = np.zeros((n_rows, length, values.shape[1]), np.int32)
        filled[row, place] = values[types]
        arrays[name] = filled
    return Rows(sentences, lengths, words, (row, place), arrays)
