"""Training sets of a network: words, trees and tags of sentences as arrays.

Sentences are gold, or silver: annotated by a teacher. With silver may come the teacher's
probabilities (`SoftTargets`), which carry more information than its choice (Hinton et al. 2015).

A batch is either gold or silver. Epochs run through silver in random order, and in another order
once all of it was seen; so the gold treebank determines the length of an epoch, however much silver
there is. The schedule depends only on the seed and the number of the epoch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dodona.core.features.corpus import Corpus
from dodona.core.weights.shuffle import shuffle
from dodona.training.neural.batching import Batch, WordTable, in_batches
from dodona.training.neural.network import Arrays, Numbers
from dodona.training.neural.tag_heads import NO_CLASS

NO_HEAD = -1
GOLD, SILVER = 0, 1  # indices of the training sets of a schedule


@dataclass(frozen=True)
class SoftTargets:
    """The probabilities of a teacher: for every word a few best heads and tags, with weights.

    The weights of a word's heads, or of its tags in one column, sum to one or are all zero. With
    several teachers, `trees` has the tree of each.
    """

    heads: Numbers  # word, choice: 0 is the root
    head_weights: Numbers
    tags: Numbers  # tag head, word, choice: a class
    tag_weights: Numbers
    trees: Numbers  # teacher, word: a head
    tree_labels: Numbers  # teacher, word: a label


@dataclass(frozen=True)
class TrainingSet:
    """Sentences with their targets; `order` lists those that can be learned from."""

    words: WordTable
    corpus: Corpus
    order: Sequence[int]
    tags: Numbers  # tag head, word: a class, or NO_CLASS
    heads: Numbers  # word: its head, 0 for the root, or NO_HEAD
    soft: SoftTargets | None = None
    others: tuple[Corpus, ...] = ()  # the same sentences with other trees

    @property
    def n_words(self) -> int:
        """The number of words in all sentences."""
        return int(self.words.first[-1])

    def targets(self, batch: Batch, size: int) -> tuple[Any, Arrays]:
        """Return the tags of a batch's words, and arrays of their heads, padded to `size` words."""
        if self.soft is not None:
            return self._soft_targets(batch, size, self.soft)
        more, which = size - len(batch.words), batch.words
        tags = np.pad(self.tags[:, which], ((0, 0), (0, more)), constant_values=NO_CLASS)
        heads = self._positions(batch, self.heads[which], size)
        return tags, {"heads": np.pad(heads, (0, more), constant_values=NO_HEAD)}

    def _soft_targets(self, batch: Batch, size: int, soft: SoftTargets) -> tuple[Arrays, Arrays]:
        more, which = ((0, 0), (0, size - len(batch.words))), batch.words
        choices = soft.heads[which].T.astype(np.int32)
        heads = np.stack([self._positions(batch, choice, size) for choice in choices])
        tags = {
            "classes": np.pad(soft.tags[:, which], (*more, (0, 0))).astype(np.int32),
            "weights": np.pad(soft.tag_weights[:, which], (*more, (0, 0))).astype(np.float32),
        }
        return tags, {
            "heads": np.pad(heads, more, constant_values=NO_HEAD),
            "head_weights": np.pad(soft.head_weights[which].T, more).astype(np.float32),
        }

    def _positions(self, batch: Batch, heads: Numbers, size: int) -> Numbers:
        """Return the positions of heads in the batch; `size` stands for the root."""
        lengths = self.words.n_words[list(batch.sentences)]
        first: Numbers = np.repeat(np.cumsum(lengths) - lengths, lengths)
        positions = np.where(heads == 0, size, first + heads - 1)
        return np.where(heads < 0, NO_HEAD, positions).astype(np.int32)


def corpus_heads(corpus: Corpus, sentences: Sequence[int]) -> Numbers:
    """Return the head of every word of some sentences: 0 for the root, or NO_HEAD."""
    return np.array(
        [NO_HEAD if head is None else head for i in sentences for head in corpus.heads(i)], np.int32
    )


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
