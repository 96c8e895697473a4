"""Annotation of sentences by an ensemble of teachers, whose probabilities are averaged.

An ensemble is better than each of its members (Kuncoro et al. 2016): the distributions over heads,
over labels of the chosen heads, and over tags are averaged before anything is decoded. Its teachers
may stand on different encoders, as long as they have a common inventory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dodona.distilling.silver_parts import write_part
from dodona.distilling.teacher_inventory import PaddedBatch, TeacherInventory, padded_batches
from dodona.distilling.teacher_network import TeacherScores
from dodona.distilling.teacher_training import Teacher
from dodona.distilling.tree_decoding import best_trees
from dodona.training.neural.silver import N_CHOICES, soft_path, write_soft_targets
from dodona.training.neural.training_sets import SoftTargets
from dodona.treebank.sentence import Sentence

BATCH_WORDS = 10_000
TINY = 1e-9  # added to probabilities before the logarithm

AnyArray = Any  # of NumPy


@dataclass(frozen=True)
class Annotation:
    """Heads, labels, tags and their probabilities for the words of some sentences."""

    heads: AnyArray
    labels: AnyArray  # indices of labels
    tags: AnyArray  # tag head, word: a class
    soft: SoftTargets


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
        self._networks = [teacher.network for teacher in teachers]

    def annotate(self, sentences: Sequence[Sentence]) -> Annotation:
        """Annotate sentences."""
        encoded = self.inventory.encode(sentences)
        n_trees = len(self._networks) if len(self._networks) > 1 else 0
        found = _empty(len(encoded.types), self.inventory.tags.sizes, n_trees)
        order = [i for i, sentence in enumerate(sentences) if len(sentence)]
        with torch.inference_mode():
            for batch in padded_batches(encoded, order, self.batch_words):
                self._annotate_batch(found, batch)
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

    def write(self, path: Path, sentences: Sequence[Sentence], found: Annotation) -> None:
        """Write annotated sentences, with the probabilities beside them."""
        names = [(answers.column, answers.classes) for answers in self.inventory.tags.tag_classes]
        write_soft_targets(soft_path(path), found.soft, names, self.inventory.labels)
        write_part(path, self.sentences(sentences, found))

    def _annotate_batch(self, found: Annotation, batch: PaddedBatch) -> None:
        """Fill in the best trees of a batch, their labels, the tags, and the probabilities."""
        scores = [network(network.tensors(batch)) for network in self._networks]
        of_teachers = [one.arcs.softmax(2) for one in scores]
        arcs = torch.stack(of_teachers).mean(0)
        at, which, soft = batch.positions, batch.words, found.soft
        found.heads[which], found.labels[which] = self._trees(batch, arcs, scores)
        for i, own in enumerate(of_teachers if len(of_teachers) > 1 else ()):
            tree = self._trees(batch, own, scores, only=i)
            soft.trees[i, which], soft.tree_labels[i, which] = tree
        weights, heads = _best(arcs)
        n = heads.shape[2]
        soft.heads[which, :n], soft.head_weights[which, :n] = heads[at], weights[at]
        for i, of_tag in enumerate(zip(*(one.tags for one in scores), strict=True)):
            mean = torch.stack([tag.softmax(2) for tag in of_tag]).mean(0)
            shares, classes = _best(mean)
            n = classes.shape[2]
            soft.tags[i, which, :n], soft.tag_weights[i, which, :n] = classes[at], shares[at]
            found.tags[i, which] = classes[at][:, 0]

    def _trees(
        self,
        batch: PaddedBatch,
        arcs: Tensor,
        scores: Sequence[TeacherScores],
        only: int | None = None,
    ) -> tuple[AnyArray, AnyArray]:
        """Return the heads and labels of the best trees, by all teachers or only by one."""
        logs = (arcs + TINY).log().cpu().numpy()
        trees = best_trees(logs, batch.lengths.tolist(), projective=self.projective)
        chosen: AnyArray = np.zeros(logs.shape[:2], np.int64)
        chosen[batch.positions] = [head for tree in trees for head in tree]
        total: Tensor | int = 0
        for i, (network, one) in enumerate(zip(self._networks, scores, strict=True)):
            if only in (None, i):
                heads = torch.from_numpy(chosen).to(network.device)
                total = total + network.label_scores(one.dependents, one.heads, heads).softmax(2)
        assert isinstance(total, Tensor)  # there is a teacher
        return chosen[batch.positions], total.argmax(2).cpu().numpy()[batch.positions]


def _best(probabilities: Tensor) -> tuple[AnyArray, AnyArray]:
    """Return the few highest probabilities of each word, and their classes."""
    found = probabilities.topk(min(N_CHOICES, probabilities.shape[2]), dim=2)
    return found.values.cpu().numpy(), found.indices.cpu().numpy()


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
