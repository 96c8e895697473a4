"""Training sets of a network: words, trees and tags of sentences as arrays.

Sentences are gold, or silver: annotated by a teacher. With silver may come the teacher's
probabilities (`SoftTargets`), which carry more information than its choice (Hinton et al. 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dodona.core.features.corpus import Corpus
from dodona.training.neural.batching import Batch, WordTable
from dodona.training.neural.network import Numbers
from dodona.training.neural.tag_heads import NO_CLASS

NO_HEAD = -1


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

    def targets(self, batch: Batch, size: int) -> tuple[Any, dict[str, Numbers]]:
        """Return the tags of a batch's words, and arrays of their heads, padded to `size` words."""
        if self.soft is not None:
            return self._soft_targets(batch, size, self.soft)
        tags: Numbers = np.full((len(self.tags), size), NO_CLASS, np.int32)
        tags[:, : len(batch.words)] = self.tags[:, batch.words]
        heads: Numbers = np.full(size, NO_HEAD, np.int32)
        heads[: len(batch.words)] = self._positions(batch, self.heads[batch.words], size)
        return tags, {"heads": heads}

    def _soft_targets(
        self, batch: Batch, size: int, soft: SoftTargets
    ) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
        n, which = len(batch.words), batch.words
        n_choices = soft.tags.shape[2]
        classes: Numbers = np.zeros((len(soft.tags), size, n_choices), np.int32)
        weights: Numbers = np.zeros(classes.shape, np.float32)
        classes[:, :n], weights[:, :n] = soft.tags[:, which], soft.tag_weights[:, which]
        n_heads = soft.heads.shape[1]
        heads: Numbers = np.full((n_heads, size), NO_HEAD, np.int32)
        head_weights: Numbers = np.zeros((n_heads, size), np.float32)
        for i in range(n_heads):
            heads[i, :n] = self._positions(batch, soft.heads[which, i].astype(np.int32), size)
            head_weights[i, :n] = soft.head_weights[which, i]
        return (
            {"classes": classes, "weights": weights},
            {"heads": heads, "head_weights": head_weights},
        )

    def _positions(self, batch: Batch, heads: Numbers, size: int) -> Numbers:
        """Return the positions of heads in the batch; `size` stands for the root."""
        lengths = self.words.n_words[list(batch.sentences)]
        first: Numbers = np.repeat(np.cumsum(lengths) - lengths, lengths)
        positions = np.where(heads == 0, size, first + heads - 1)
        return np.where(heads < 0, NO_HEAD, positions)


def corpus_heads(corpus: Corpus, sentences: Sequence[int]) -> Numbers:
    """Return the head of every word of some sentences: 0 for the root, or NO_HEAD."""
    return np.array(
        [NO_HEAD if head is None else head for i in sentences for head in corpus.heads(i)],
        np.int32,
    )
