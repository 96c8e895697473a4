"""Sentences annotated by one teacher or by several, whose probabilities are averaged.

What several hold probable is better than what each does (Kuncoro et al. 2016): their distributions
over heads, over labels of the chosen heads, and over tags are added up before anything is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.distilling.rows import Rows, in_rows
from dodona.distilling.subject import Subject
from dodona.distilling.teacher_network import Parameters, TeacherShape, label_scores, see
from dodona.distilling.teaching import Teacher
from dodona.distilling.trees import best_trees
from dodona.training.neural.silver import N_CHOICES
from dodona.training.neural.training_sets import SoftTargets
from dodona.treebank.sentence import Sentence

BATCH_WORDS = 10_000
TINY = 1e-9  # of a probability
WAITING = 4  # batches that are under way before the first is waited for

Numbers = Any  # an array of JAX or NumPy


@dataclass(frozen=True)
class Annotation:
    """What teachers say of the words of some sentences, one after the other."""

    heads: Numbers
    labels: Numbers  # their numbers
    tags: Numbers  # tag head, word: a class
    soft: SoftTargets


@partial(jax.jit, static_argnums=0)
def _probabilities(
    shape: TeacherShape, p: Parameters, given: Numbers, parts: Any, arrays: dict[str, Numbers]
) -> Any:
    """Of heads and of tags, and what the labels are scored by."""
    scores = see(shape, p, given, parts, arrays)
    arcs = jax.nn.softmax(scores.arcs)
    return arcs, [jax.nn.softmax(tag) for tag in scores.tags], scores.dependents, scores.heads


@partial(jax.jit, static_argnums=())
def _averaged(of_teachers: list[Any]) -> Any:
    """The mean of several teachers' probabilities, and the best few of each word."""
    mean = jax.tree.map(lambda *some: sum(some) / len(some), *of_teachers)
    arcs, tags = mean
    best = jax.lax.top_k(arcs, min(N_CHOICES, arcs.shape[2]))
    of_tags = [jax.lax.top_k(tag, min(N_CHOICES, tag.shape[2])) for tag in tags]
    own = [jnp.log(arcs + TINY) for arcs, _ in of_teachers] if len(of_teachers) > 1 else []
    return jnp.log(arcs + TINY), best, of_tags, own


@partial(jax.jit, static_argnums=())
def _labels(seen: list[Any], chosen: Numbers) -> Numbers:
    """The best label of each chosen arc, by the mean probability."""
    found = [
        jax.nn.softmax(label_scores(p, dependents, heads, chosen)) for p, dependents, heads in seen
    ]
    return sum(found[1:], found[0]).argmax(axis=2)


class Teachers:
    """Teachers of one subject, who annotate together."""

    def __init__(
        self,
        subject: Subject,
        teachers: Sequence[Teacher],
        *,
        projective: bool,
        batch_words: int = BATCH_WORDS,
    ) -> None:
        if not teachers:
            raise ValueError("nobody teaches")
        self.subject, self.projective, self.batch_words = subject, projective, batch_words
        self._given = jnp.asarray(subject.given)
        self._teachers = [
            (teacher.shape, {name: jnp.asarray(x) for name, x in teacher.parameters.items()})
            for teacher in teachers
        ]

    def annotate(self, sentences: Sequence[Sentence]) -> Annotation:
        """What they say of these sentences."""
        spelled = self.subject.spell(sentences)
        n_trees = len(self._teachers) if len(self._teachers) > 1 else 0
        found = _empty(len(spelled.types), self.subject.tags.sizes, n_trees)
        order = [i for i, sentence in enumerate(sentences) if len(sentence)]
        waiting: list[tuple[Rows, Any, Any]] = []
        for rows in in_rows(spelled, order, self.batch_words):
            waiting.append((rows, *self._see(rows)))
            if len(waiting) == WAITING:
                self._choose(found, *waiting.pop(0))
        for some in waiting:
            self._choose(found, *some)
        return found

    def sentences(
        self, sentences: Sequence[Sentence], annotation: Annotation | None = None
    ) -> list[Sentence]:
        """The sentences with trees and tags; lemmas are for others to find."""
        said = self.annotate(sentences) if annotation is None else annotation
        tags = self.subject.tags.tag_classes
        names = [[name.decode() for name in answers.classes] for answers in tags]
        heads, labels = said.heads.tolist(), said.labels.tolist()
        classes, found, begin = said.tags.tolist(), [], 0
        for sentence in sentences:
            some = slice(begin, begin + len(sentence))
            begin += len(sentence)
            columns = {
                answers.column: [names[i][c] for c in classes[i][some]]
                for i, answers in enumerate(tags)
            }
            deprels = [self.subject.labels[label] for label in labels[some]]
            found.append(sentence.replace(heads=heads[some], deprels=deprels, **columns))
        return found

    def _see(self, rows: Rows) -> tuple[Any, Any]:
        """What is computed of a batch; nobody waits for it yet."""
        parts = self.subject.tags.parts
        of_teachers, seen = [], []
        for shape, p in self._teachers:
            arcs, tags, *both = _probabilities(shape, p, self._given, parts, rows.arrays)
            of_teachers.append((arcs, tags))
            seen.append(({"label.both": p["label.both"]}, *both))
        return _averaged(of_teachers), seen

    def _choose(self, found: Annotation, rows: Rows, averaged: Any, seen: Any) -> None:
        """Write down the best trees of a batch, their labels, and the tags."""
        logs, (weights, heads), of_tags, own = jax.device_get(averaged)
        (row, place), which, soft = rows.places, rows.words, found.soft
        found.heads[which], found.labels[which] = self._trees(rows, logs, seen)
        for i, one in enumerate(own):
            soft.trees[i, which], soft.tree_labels[i, which] = self._trees(
                rows, one, seen[i : i + 1]
            )
        n = heads.shape[2]
        soft.heads[which, :n], soft.head_weights[which, :n] = heads[row, place], weights[row, place]
        for i, (shares, classes) in enumerate(of_tags):
            n = classes.shape[2]
            soft.tags[i, which, :n], soft.tag_weights[i, which, :n] = (
                classes[row, place],
                shares[row, place],
            )
            found.tags[i, which] = classes[row, place][:, 0]

    def _trees(self, rows: Rows, logs: Numbers, seen: Any) -> tuple[Numbers, Numbers]:
        """The heads of the best trees by these scores, and their labels."""
        trees = best_trees(logs, rows.lengths.tolist(), projective=self.projective)
        chosen: Numbers = np.zeros(logs.shape[:2], np.int32)
        chosen[rows.places] = [head for tree in trees for head in tree]
        return chosen[rows.places], np.asarray(_labels(seen, chosen))[rows.places]


def _empty(n_words: int, tag_sizes: Sequence[int], n_trees: int) -> Annotation:
    """An annotation with room for so many words."""
    tags = (len(tag_sizes), n_words, N_CHOICES)
    return Annotation(
        np.zeros(n_words, np.int32),
        np.zeros(n_words, np.int32),
        np.zeros(tags[:2], np.int32),
        SoftTargets(
            np.zeros((n_words, N_CHOICES), np.int16),
            np.zeros((n_words, N_CHOICES), np.float16),
            np.zeros(tags, np.int16),
            np.zeros(tags, np.float16),
            np.zeros((n_trees, n_words), np.int16),
            np.zeros((n_trees, n_words), np.int16),
        ),
    )
