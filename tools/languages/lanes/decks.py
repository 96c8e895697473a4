"""Batches of whole sentences, as the numbers of their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tools.languages.lanes.lane import LONGEST, TEXT, Lane

Numbers = Any  # an array of NumPy

NOTHING = -1  # padding of a batch
ROUNDS = 7  # 2⁷ steps upwards reach the root of every sentence of at most LONGEST words


class Deck:
    """Sentences that are drawn again and again, in another order each time; long ones are not.

    >>> Deck([0, 2, 5], [2, 3, 2], 1).draw(5).tolist()
    [5, 6, 0, 1, -1]
    """

    def __init__(self, first: Numbers, lengths: Numbers, *seed: int) -> None:
        kept = np.asarray(lengths, np.int64) <= LONGEST
        self._first, self._lengths = (np.asarray(x, np.int64)[kept] for x in (first, lengths))
        self._random = np.random.default_rng(seed)
        self._order: Numbers = np.zeros(0, np.int64)
        self._at = 0

    def draw(self, n: int) -> Numbers:
        """Return the words of the next sentences, at most n; all are padding if there are none."""
        if self._at >= len(self._order):
            self._order, self._at = self._random.permutation(len(self._first)), 0
            self._ends = np.cumsum(self._lengths[self._order])
        self._at, some = self._next(self._at, n, self._ends)
        return self._words(self._order[some], n)

    def once(self, n: int) -> Iterator[Numbers]:
        """Yield batches of at most n words with every sentence once, in their order."""
        at, ends = 0, np.cumsum(self._lengths)
        while at < len(ends):
            at, some = self._next(at, n, ends)
            yield self._words(np.arange(len(ends))[some], n)

    def _next(self, at: int, n: int, ends: Numbers) -> tuple[int, slice]:
        before = ends[at - 1] if at else 0
        end = int(np.searchsorted(ends, before + n, side="right"))
        return end, slice(at, end)

    def _words(self, sentences: Numbers, n: int) -> Numbers:
        lengths = self._lengths[sentences]
        ends = np.cumsum(lengths)
        words = np.repeat(self._first[sentences] - ends + lengths, lengths)
        found: Numbers = np.full(n, NOTHING, np.int32)
        found[: len(words)] = words + np.arange(len(words))
        return found


def are_trees(lengths: Sequence[int], heads: Numbers) -> Numbers:
    """Return which sentences are trees with one root; `heads` are distances, 0 for the root.

    >>> are_trees([2, 2, 2], np.array([0, -1, 1, -1, 0, 0])).tolist()
    [True, False, False]
    """
    n = len(heads)
    here, sentence = np.arange(n), np.repeat(np.arange(len(lengths)), lengths)
    up = here + heads.astype(np.int64)
    is_stray = (up < 0) | (up >= n)
    up = np.where(is_stray, here, up)
    is_stray |= sentence[up] != sentence
    for _ in range(ROUNDS):
        up = up[up]
    is_stray |= heads[up] != 0
    n_roots, n_stray = (np.bincount(sentence, x, len(lengths)) for x in (heads == 0, is_stray))
    return (n_roots == 1) & (n_stray == 0) & (np.asarray(lengths) <= LONGEST)


def voted_sentences(lane: Lane) -> tuple[Numbers, Numbers]:
    """Return the first words and the lengths of those sentences of the text whose votes are
    trees."""
    first, lengths = lane.sentences(TEXT)
    kept = are_trees(lengths, lane.arrays[f"{TEXT}.head"])
    return first[kept], lengths[kept]
