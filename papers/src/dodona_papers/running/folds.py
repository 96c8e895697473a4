"""Cross-validation of graph parsers: each fold is parsed by a parser trained on the others."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dodona.core.features.templates import load_templates
from dodona.evaluation.graphs import evaluate_graphs
from dodona.evaluation.score_counts import Arcs
from dodona.evaluation.significance import mcnemar
from dodona.parsing.trainer import train_linear
from dodona.settings import Settings
from dodona.treebank.conllu.reader import read
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.sentence import Sentence
from dodona_papers.origin import COMMIT, CORE
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.grid import JobResult

KINDS = ("labelled", "unlabelled")


@dataclass(frozen=True)
class Fold(JobResult):
    """The result of a fold: [gold arcs, system arcs, correct arcs] by kind.

    `found` has a character for each gold arc, in order: 1 if it was found, else 0.
    """

    treebank: str
    variant: str
    number: int
    counts: dict[str, list[int]]
    found: dict[str, str]
    seconds: float
    commit: str = ""
    seed: int = 1

    def __str__(self) -> str:
        f1 = {kind: total([self], kind).f1 for kind in KINDS}
        return (
            f"{self.treebank} {self.variant} seed {self.seed} fold {self.number + 1}: labelled F1 "
            f"{f1['labelled']:.2f} unlabelled {f1['unlabelled']:.2f} in {self.seconds:.0f} s"
        )


@dataclass(frozen=True)
class FoldJob:
    """A job: train a parser on the other folds of a train set, and score it on this one."""

    treebank: TreebankFolder
    variant: str
    settings: Settings
    number: int
    n_folds: int

    def key(self) -> str:
        """Return a digest of everything that decides the result."""
        parts = {
            "core": CORE,
            "treebank": self.treebank.name,
            "settings": self.settings.flat(),
            "templates": load_templates(self.settings.resolved().features),
            "data": self.treebank.checksum(),
            "fold": f"{self.number} of {self.n_folds}",
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def run(self) -> Fold:
        """Train on the other folds, parse this one, and count correct arcs."""
        start = time.perf_counter()
        sentences = list(read(self.treebank.part("train"), trees="required"))
        others = [s for i, s in enumerate(sentences) if i % self.n_folds != self.number]
        parser = train_linear(others, **self.settings.flat())
        gold = sentences[self.number :: self.n_folds]
        parsed = list(parser.pipe(gold))
        scores = evaluate_graphs(gold, parsed)
        arcs = {"labelled": scores.labelled, "unlabelled": scores.unlabelled}
        return Fold(
            key=self.key(),
            treebank=self.treebank.name,
            variant=self.variant,
            number=self.number,
            counts={kind: [a.n_gold, a.n_system, a.n_correct] for kind, a in arcs.items()},
            found={kind: _mark_found(gold, parsed, kind) for kind in KINDS},
            seconds=time.perf_counter() - start,
            commit=COMMIT,
            seed=self.settings.seed,
        )


def total(folds: Iterable[Fold], kind: str) -> Arcs:
    """Return the sums of the arcs of several folds."""
    sums = [sum(column) for column in zip(*(fold.counts[kind] for fold in folds), strict=True)]
    return Arcs(sums[0], sums[1], sums[2], sums[2])


def significance(a: Sequence[Fold], b: Sequence[Fold], kind: str) -> float:
    """Return the two-sided p of McNemar's test over the gold arcs of the same folds.

    Counts are averaged over seeds, whose results are not independent.
    """
    n_seeds = len({fold.seed for fold in a})
    pairs = Counter(
        pair
        for one, other in zip(a, b, strict=True)
        for pair in zip(one.found[kind], other.found[kind], strict=True)
    )
    return mcnemar(round(pairs["1", "0"] / n_seeds), round(pairs["0", "1"] / n_seeds))[0]


def has_graphs(treebank: TreebankFolder) -> bool:
    """Return whether the train set has enhanced dependencies."""
    return any(deps not in ("", "_") for s in read(treebank.part("train")) for deps in s.deps)


def _mark_found(gold: Sequence[Sentence], parsed: Sequence[Sentence], kind: str) -> str:
    """Return a mark for each gold arc: 1 if it was found, else 0."""
    marks = []
    for expected, guess in zip(gold, parsed, strict=True):
        built = _arcs(guess, kind)
        marks += ["1" if arc in built else "0" for arc in sorted(_arcs(expected, kind))]
    return "".join(marks)


def _arcs(sentence: Sentence, kind: str) -> set[Any]:
    graph = enhanced_graph(sentence)
    return set(graph) if kind == "labelled" else {(head, word) for head, _, word in graph}
