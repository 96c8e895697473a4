"""Annotation of sentences by an ensemble of teachers, whose probabilities are averaged.

An ensemble is better than each of its members (Kuncoro et al. 2016): the distributions over heads,
over labels of the chosen heads, and over tags are averaged before anything is decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.distilling.teacher_inventory import PaddedBatch, TeacherInventory, padded_batches
from dodona.distilling.teacher_network import Parameters, TeacherShape, label_scores, score_words
from dodona.distilling.teacher_training import Teacher
from dodona.distilling.tree_decoding import best_trees
from dodona.training.neural.silver import N_CHOICES
from dodona.training.neural.training_sets import SoftTargets
from dodona.treebank.sentence import Sentence

BATCH_WORDS = 10_000
TINY = 1e-9  # added to probabilities before the logarithm
IN_FLIGHT = 4  # batches on the device before the first result is fetched

AnyArray = Any  # of JAX or NumPy


@dataclass(frozen=True)
class Annotation:
    """Heads, labels, tags and their probabilities for the words of some sentences."""

    heads: AnyArray
    labels: AnyArray  # indices of labels
    tags: AnyArray  # tag head, word: a class
    soft: SoftTargets


@partial(jax.jit, static_argnums=0)
def _probabilities(
    shape: TeacherShape, p: Parameters, given: AnyArray, parts: Any, arrays: dict[str, AnyArray]
) -> Any:
    """Return the probabilities of heads and tags, and the inputs of the label scorer."""
    scores = score_words(shape, p, given, parts, arrays)
    arcs = jax.nn.softmax(scores.arcs)
    return arcs, [jax.nn.softmax(tag) for tag in scores.tags], scores.dependents, scores.heads


@partial(jax.jit, static_argnums=())
def _averaged(of_teachers: list[Any]) -> Any:
    """Average the probabilities of all teachers, and pick the best few of each word."""
    arcs, tags = jax.tree.map(lambda *some: sum(some) / len(some), *of_teachers)
    best = jax.lax.top_k(arcs, min(N_CHOICES, arcs.shape[2]))
    of_tags = [jax.lax.top_k(tag, min(N_CHOICES, tag.shape[2])) for tag in tags]
    own = [jnp.log(arcs + TINY) for arcs, _ in of_teachers] if len(of_teachers) > 1 else []
    return jnp.log(arcs + TINY), best, of_tags, own


@partial(jax.jit, static_argnums=())
def _labels(seen: list[Any], chosen: AnyArray) -> AnyArray:
    """Return the best label of each chosen arc, by the mean probability."""
    found = [jax.nn.softmax(label_scores(p, words, heads, chosen)) for p, words, heads in seen]
    return sum(found[1:], found[0]).argmax(axis=2)


class TeacherEnsemble:
    """Teachers with a common inventory that annotate together."""

    def __init__(
        self,
        inventory: TeacherInventory,
        teachers: Sequence[Teacher],
        *,
        projective: bool,
        batch_words: int = BATCH_WORDS,
    ) -> None:
        if not teachers:
            raise ValueError("an ensemble needs at least one teacher")
        self.inventory, self.projective, self.batch_words = inventory, projective, batch_words
        self._given = jnp.asarray(inventory.given)
        self._teachers = [
            (teacher.shape, {name: jnp.asarray(x) for name, x in teacher.parameters.items()})
            for teacher in teachers
        ]

    def annotate(self, sentences: Sequence[Sentence]) -> Annotation:
        """Annotate sentences."""
        encoded = self.inventory.encode(sentences)
        n_trees = len(self._teachers) if len(self._teachers) > 1 else 0
        found = _empty(len(encoded.types), self.inventory.tags.sizes, n_trees)
        order = [i for i, sentence in enumerate(sentences) if len(sentence)]
        waiting: list[tuple[PaddedBatch, Any, Any]] = []
        for batch in padded_batches(encoded, order, self.batch_words):
            waiting.append((batch, *self._score(batch)))
            if len(waiting) == IN_FLIGHT:
                self._choose(found, *waiting.pop(0))
        for some in waiting:
            self._choose(found, *some)
        return found

    def sentences(
        self, sentences: Sequence[Sentence], annotation: Annotation | None = None
    ) -> list[Sentence]:
        """Return the sentences with trees and tags, but without lemmas."""
        annotation = annotation or self.annotate(sentences)
        tags = self.inventory.tags.tag_classes
        names = [[name.decode() for name in answers.classes] for answers in tags]
        heads, labels = annotation.heads.tolist(), annotation.labels.tolist()
        classes, found, begin = annotation.tags.tolist(), [], 0
        for sentence in sentences:
            some = slice(begin, begin + len(sentence))
            begin += len(sentence)
            columns = {
                answers.column: [names[i][c] for c in classes[i][some]]
                for i, answers in enumerate(tags)
            }
            deprels = [self.inventory.labels[label] for label in labels[some]]
            found.append(sentence.replace(heads=heads[some], deprels=deprels, **columns))
        return found

    def _score(self, batch: PaddedBatch) -> tuple[Any, Any]:
        """Start the computation of a batch, without waiting for it."""
        parts = self.inventory.tags.parts
        of_teachers, seen = [], []
        for shape, p in self._teachers:
            arcs, tags, *both = _probabilities(shape, p, self._given, parts, batch.arrays)
            of_teachers.append((arcs, tags))
            seen.append(({"label.both": p["label.both"]}, *both))
        return _averaged(of_teachers), seen

    def _choose(self, found: Annotation, batch: PaddedBatch, averaged: Any, seen: Any) -> None:
        """Fill in the best trees of a batch, their labels, and the tags."""
        logs, (weights, heads), of_tags, own = jax.device_get(averaged)
        at, which, soft = batch.positions, batch.words, found.soft
        found.heads[which], found.labels[which] = self._trees(batch, logs, seen)
        for i, one in enumerate(own):
            tree = self._trees(batch, one, seen[i : i + 1])
            soft.trees[i, which], soft.tree_labels[i, which] = tree
        n = heads.shape[2]
        soft.heads[which, :n], soft.head_weights[which, :n] = heads[at], weights[at]
        for i, (shares, classes) in enumerate(of_tags):
            n = classes.shape[2]
            soft.tags[i, which, :n], soft.tag_weights[i, which, :n] = classes[at], shares[at]
            found.tags[i, which] = classes[at][:, 0]

    def _trees(self, batch: PaddedBatch, logs: AnyArray, seen: Any) -> tuple[AnyArray, AnyArray]:
        """Return the heads and labels of the best trees."""
        trees = best_trees(logs, batch.lengths.tolist(), projective=self.projective)
        chosen: AnyArray = np.zeros(logs.shape[:2], np.int32)
        chosen[batch.positions] = [head for tree in trees for head in tree]
        return chosen[batch.positions], np.asarray(_labels(seen, chosen))[batch.positions]


def _empty(n_words: int, tag_sizes: Sequence[int], n_trees: int) -> Annotation:
    """Return an annotation of zeros."""

    def zeros(kind: Any, *size: int) -> AnyArray:
        return np.zeros(size, kind)

    n, words, n_tags = N_CHOICES, n_words, len(tag_sizes)
    heads, weights = zeros(np.int16, words, n), zeros(np.float16, words, n)
    tags, shares = zeros(np.int16, n_tags, words, n), zeros(np.float16, n_tags, words, n)
    trees, labels = zeros(np.int16, n_trees, words), zeros(np.int16, n_trees, words)
    soft = SoftTargets(heads, weights, tags, shares, trees, labels)
    classes = zeros(np.int32, n_tags, words)
    return Annotation(zeros(np.int32, words), zeros(np.int32, words), classes, soft)
