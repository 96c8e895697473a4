"""Batches of sentences padded to a few lengths: JAX compiles once for each length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dodona.distilling.teacher_inventory import EncodedSentences

LENGTHS = 20, 40, 80  # few: compiling for a length takes a GPU longer than several epochs
STEP = 160  # longer sentences are padded to multiples

AnyArray = Any  # of NumPy


@dataclass(frozen=True)
class PaddedBatch:
    """Sentences of about one length, and arrays with a padded row for each."""

    sentences: Sequence[int]
    lengths: AnyArray  # words in each row
    words: AnyArray  # their indices among the words of all sentences
    positions: tuple[AnyArray, AnyArray]  # row and column of each word
    arrays: dict[str, AnyArray]

    def padded(self, values: AnyArray, padding: int) -> AnyArray:
        """Return the values of these words, picked from those of all sentences, as padded rows."""
        shape = self.arrays["characters"].shape[:2]
        found = np.full((*values.shape[:-1], *shape), padding, values.dtype)
        found[(..., *self.positions)] = values[..., self.words]
        return found


def length_for(n_words: int) -> int:
    """Return the padded length for a number of words.

    >>> length_for(7), length_for(41), length_for(200)
    (20, 80, 320)
    """
    return next((n for n in LENGTHS if n >= n_words), -(-n_words // STEP) * STEP)


def padded_batches(
    encoded: EncodedSentences, order: Sequence[int], size: int, seed: int | None = None
) -> Iterator[PaddedBatch]:
    """Yield batches of about `size` words of all sentences in `order`; shuffled if seeded."""
    alike: dict[int, list[int]] = {}
    for i in order:
        alike.setdefault(length_for(int(encoded.n_words[i])), []).append(i)
    batches = [
        (length, some[i : i + n])
        for length, some in sorted(alike.items())
        for n in [max(size // length, 1)]
        for i in range(0, len(some), n)
    ]
    if seed is not None:
        np.random.default_rng(seed).shuffle(batches)
    for length, some in batches:
        yield pad_sentences(encoded, some, length, max(size // length, 1))


def pad_sentences(
    encoded: EncodedSentences, sentences: Sequence[int], length: int, n_rows: int
) -> PaddedBatch:
    """Pad sentences to `length` words and `n_rows` rows."""
    which = np.asarray(sentences, np.int64)
    lengths: AnyArray = np.zeros(n_rows, np.int32)
    lengths[: len(which)] = encoded.n_words[which]
    row: AnyArray = np.repeat(np.arange(n_rows), lengths)
    column = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    words = encoded.first[which][row] + column if len(row) else np.zeros(0, np.int64)
    types = encoded.types[words]
    arrays = {"lengths": lengths}
    for name, values in (("single", encoded.single), ("characters", encoded.characters)):
        filled = np.zeros((n_rows, length, values.shape[1]), np.int32)
        filled[row, column] = values[types]
        arrays[name] = filled
    return PaddedBatch(sentences, lengths, words, (row, column), arrays)
