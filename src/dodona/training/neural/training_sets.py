"""What a network learns from, as numbers: the words of many sentences, their trees and their tags.

Sentences are either gold, or silver: annotated by a teacher. Of silver the teacher may also tell
how sure it is (`Soft`), which is more than its choice (Hinton et al. 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dodona.core.features.corpus import Corpus
from dodona.training.neural.batching import Batch, Words
from dodona.training.neural.tag_heads import NO_CLASS

NO_HEAD = -1

Numbers = Any  # an array of NumPy


@dataclass(frozen=True)
class Soft:
    """What a teacher holds possible: for every word its few best heads, and tags, with weights.

    The weights of a word's heads, or of its tags of one kind, sum to one, or are all zero. Where
    there are several teachers, `trees` are those that each of them would build.
    """

    heads: Numbers  # word, choice: 0 is the root
    head_weights: Numbers
    tags: Numbers  # tag head, word, choice: a class
    tag_weights: Numbers
    trees: Numbers  # teacher, word: a head
    tree_labels: Numbers  # … and a label


@dataclass(frozen=True)
class TrainingSet:
    """Sentences to learn from. `order` has those of them that can be learned from."""

    words: Words
    corpus: Corpus
    order: Sequence[int]
    tags: Numbers  # tag head, word: a class, or NO_CLASS
    heads: Numbers  # word: its head, 0 for the root, or NO_HEAD
    soft: Soft | None = None
    others: tuple[Corpus, ...] = ()  # with other trees of the same sentences

    @property
    def n_words(self) -> int:
        """Words of all sentences."""
        return int(self.words.first[-1])

    def targets(self, batch: Batch, room: int) -> tuple[Any, dict[str, Numbers]]:
        """The tags of a batch's words, and arrays with their heads, with room for more words."""
        if self.soft is not None:
            return self._soft_targets(batch, room, self.soft)
        tags: Numbers = np.full((len(self.tags), room), NO_CLASS, np.int32)
        tags[:, : len(batch.words)] = self.tags[:, batch.words]
        heads: Numbers = np.full(room, NO_HEAD, np.int32)
        heads[: len(batch.words)] = self._places(batch, self.heads[batch.words], room)
        return tags, {"heads": heads}

    def _soft_targets(
        self, batch: Batch, room: int, soft: Soft
    ) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
        n, which = len(batch.words), batch.words
        n_choices = soft.tags.shape[2]
        classes: Numbers = np.zeros((len(soft.tags), room, n_choices), np.int32)
        weights: Numbers = np.zeros(classes.shape, np.float32)
        classes[:, :n], weights[:, :n] = soft.tags[:, which], soft.tag_weights[:, which]
        n_heads = soft.heads.shape[1]
        heads: Numbers = np.full((n_heads, room), NO_HEAD, np.int32)
        head_weights: Numbers = np.zeros((n_heads, room), np.float32)
        for i in range(n_heads):
            heads[i, :n] = self._places(batch, soft.heads[which, i].astype(np.int32), room)
            head_weights[i, :n] = soft.head_weights[which, i]
        return (
            {"classes": classes, "weights": weights},
            {"heads": heads, "head_weights": head_weights},
        )

    def _places(self, batch: Batch, heads: Numbers, room: int) -> Numbers:
        """The places of heads in the batch; `room` is that of the root."""
        lengths = self.words.n_words[list(batch.sentences)]
        first: Numbers = np.repeat(np.cumsum(lengths) - lengths, lengths)
        places = np.where(heads == 0, room, first + heads - 1)
        return np.where(heads < 0, NO_HEAD, places)


def corpus_heads(corpus: Corpus, sentences: Sequence[int]) -> Numbers:
    """The head of every word of some sentences: 0 for the root, NO_HEAD where there is none."""
    return np.array(
        [NO_HEAD if head is None else head for i in sentences for head in corpus.heads(i)],
        np.int32,
    )
