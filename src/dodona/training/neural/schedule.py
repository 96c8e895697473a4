"""The schedule of training: the batches of each epoch, of all gold and a share of silver.

A batch is either gold or silver. Epochs run through silver in random order, and in another order
once all of it was seen; so the gold treebank determines the length of an epoch, however much silver
there is. The schedule depends only on the seed and the number of the epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dodona.core.weights.shuffle import shuffle
from dodona.training.neural.batching import in_batches
from dodona.training.neural.training_sets import TrainingSet

GOLD, SILVER = 0, 1


class Schedule:
    """The batches of every epoch; `sets` are the gold and, if any, the silver training set."""

    def __init__(
        self,
        gold: TrainingSet,
        silver: TrainingSet | None,
        per_gold: float,
        batch_size: int,
        seed: int,
    ) -> None:
        self.sets = [gold] if silver is None else [gold, silver]
        self.batch_size, self.seed = batch_size, seed
        self.n_silver = 0 if silver is None else max(round(per_gold * len(gold.order)), 1)
        self.n_sentences = len(gold.order) + self.n_silver
        self.n_words = gold.n_words
        if silver is not None:
            of_order = int(silver.words.n_words[list(silver.order)].sum())
            self.n_words += round(of_order * self.n_silver / len(silver.order))
        in_order = in_batches(gold.words, gold.order, batch_size)
        self.n_steps = sum(1 for _ in in_order) + sum(1 for _ in self._silver_batches(1))

    def epoch(self, number: int) -> Iterator[tuple[int, list[int]]]:
        """Yield the batches of an epoch: the index of a training set, and sentences of it."""
        gold, seed = self.sets[GOLD], self.seed + (number << 32)
        order = [gold.order[i] for i in shuffle(len(gold.order), seed)]
        of_gold = in_batches(gold.words, order, self.batch_size)
        if not self.n_silver:
            yield from ((GOLD, some) for some in of_gold)
            return
        both = [(GOLD, some) for some in of_gold]
        both += [(SILVER, some) for some in self._silver_batches(number)]
        yield from (both[i] for i in shuffle(len(both), seed + 1))

    def _silver_batches(self, number: int) -> Iterator[list[int]]:
        if self.n_silver:
            silver = self.sets[SILVER]
            drawn = self._drawn((number - 1) * self.n_silver, number * self.n_silver)
            yield from in_batches(silver.words, drawn, self.batch_size)

    def _drawn(self, begin: int, end: int) -> list[int]:
        """Return silver sentences from `begin` to `end` in an endless sequence of permutations."""
        deck = np.asarray(self.sets[SILVER].order)
        found: list[Any] = []
        while begin < end:
            cycle, position = divmod(begin, len(deck))
            order = np.random.default_rng([self.seed, cycle]).permutation(len(deck))
            some = order[position : position + end - begin]
            found += deck[some].tolist()
            begin += len(some)
        return found
