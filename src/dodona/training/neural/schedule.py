"""What is learned in which epoch, batch by batch: all gold, and as much silver as goes with it.

A batch is of gold or of silver. Silver is gone through in random order, epoch after epoch, and in
another order when all of it was seen; so an epoch is as long as the gold treebank says, however
much silver there is. All depends on the seed and the number of the epoch alone.
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
    """`lessons` are the gold ones and, if there are any, the silver ones."""

    def __init__(
        self,
        gold: TrainingSet,
        silver: TrainingSet | None,
        per_gold: float,
        batch_size: int,
        seed: int,
    ) -> None:
        self.lessons = [gold] if silver is None else [gold, silver]
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
        """The batches of an epoch: which lessons, and which sentences of them."""
        gold, seed = self.lessons[GOLD], self.seed + (number << 32)
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
            silver = self.lessons[SILVER]
            drawn = self._drawn((number - 1) * self.n_silver, number * self.n_silver)
            yield from in_batches(silver.words, drawn, self.batch_size)

    def _drawn(self, begin: int, end: int) -> list[int]:
        """The sentences of silver in these places of an endless row of shuffled decks."""
        deck = np.asarray(self.lessons[SILVER].order)
        found: list[Any] = []
        while begin < end:
            cycle, place = divmod(begin, len(deck))
            order = np.random.default_rng([self.seed, cycle]).permutation(len(deck))
            some = order[place : place + end - begin]
            found += deck[some].tolist()
            begin += len(some)
        return found
