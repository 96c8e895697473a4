"""Scores of dependency graphs: precision, recall and F1 of arcs, ELAS and EULAS.

ELAS is the F1 of labelled arcs as the IWPT shared tasks count it (Bouma, Seddah & Zeman 2020,
2021): over all arcs of the DEPS column, with subtypes and case of labels, and with empty nodes
contracted into the arcs that pass through them. EULAS compares the universal part of labels only:
conj:and is as good as conj:or.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from dodona.evaluation.pairs import EvaluationError, OnProgress, load, pair
from dodona.evaluation.score_counts import Arcs
from dodona.evaluation.table import arcs_table, render
from dodona.evaluation.text_scores import align_texts
from dodona.treebank.graphs.empty_nodes import THROUGH
from dodona.treebank.graphs.enhanced import GraphArc, enhanced_graph
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import universal_part

Graph: TypeAlias = frozenset[GraphArc]
Projection: TypeAlias = Callable[[Graph], Iterable[Hashable]]
GraphTreebank: TypeAlias = str | os.PathLike[str] | Iterable[Sentence]


@dataclass(frozen=True, slots=True)
class GraphScores:
    """Result of `evaluate_graphs`; percentages from 0 to 100, unrounded."""

    n_sentences: int
    n_words: int
    labelled: Arcs
    unlabelled: Arcs
    universal: Arcs  # with the universal parts of labels
    n_exact: int  # sentences whose labelled graph is right

    @property
    def elas(self) -> float:
        """F1 of labelled arcs."""
        return self.labelled.f1

    @property
    def eulas(self) -> float:
        """F1 of arcs with the universal parts of their labels."""
        return self.universal.f1

    def table(self) -> str:
        """Return the scores as a table of arcs with and without labels."""
        rows = {"labelled (F1: ELAS)": self.labelled, "universal (F1: EULAS)": self.universal}
        rows["unlabelled"] = self.unlabelled
        caption = (
            f"{self.n_words:,} words in {self.n_sentences:,} sentences, "
            f"{self.n_exact:,} graphs exactly right"
        )
        return render([arcs_table("arcs", rows), caption])

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as a dictionary, ready for `json.dumps`."""
        return {
            "n_sentences": self.n_sentences,
            "n_words": self.n_words,
            "n_exact": self.n_exact,
            "elas": self.elas,
            "eulas": self.eulas,
            "labelled": self.labelled.to_dict(),
            "universal": self.universal.to_dict(),
            "unlabelled": self.unlabelled.to_dict(),
        }


def evaluate_graphs(
    gold: GraphTreebank,
    system: GraphTreebank,
    *,
    text: bool = False,
    progress: OnProgress | None = None,
) -> GraphScores:
    """Score the graphs in a system's DEPS column against gold ones of the same words.

    `gold` and `system` are paths of CoNLL-U files or iterables of sentences. With `text`, the
    system may have segmented the text in its own way: words are aligned as by `evaluate_text`, and
    arcs of words that gold does not have are wrong. In unlabelled scores, arcs between the same two
    words in the same direction count once. `progress` is called with the number of words of each
    sentence.

    >>> gold = Sentence.from_columns(["Oaks", "speak"], deps=["2:nsubj|0:dep", "0:root"])
    >>> system = Sentence.from_columns(["Oaks", "speak"], deps=["2:obj", "0:root"])
    >>> scores = evaluate_graphs([gold], [system])
    >>> f"{scores.elas:.2f} {scores.unlabelled.precision:.2f} {scores.unlabelled.recall:.2f}"
    '40.00 100.00 66.67'
    """
    sentences = [cast(Sentence, sentence) for sentence in load(gold)]
    found = (_aligned if text else _paired)(sentences, system, progress)
    if not any(expected for expected, _ in found):
        raise EvaluationError("no gold arc to score: the DEPS column is empty throughout")
    return GraphScores(
        n_sentences=len(sentences),
        n_words=sum(map(len, sentences)),
        labelled=_count(found, lambda arcs: arcs),
        unlabelled=_count(found, lambda arcs: {(head, word) for head, _, word in arcs}),
        universal=_count(found, lambda arcs: [(h, _universal(label), w) for h, label, w in arcs]),
        n_exact=sum(expected == found for expected, found in found),
    )


def _paired(
    gold: list[Sentence], system: GraphTreebank, progress: OnProgress | None
) -> list[tuple[Graph, Graph]]:
    """Return the gold and system graphs of sentences with the same words."""
    both = (each[:2] for each in pair(gold, load(system), punctuation=True, progress=progress))
    trees = ((cast(Sentence, expected), cast(Sentence, found)) for expected, found in both)
    return [(enhanced_graph(expected), enhanced_graph(found)) for expected, found in trees]


def _aligned(
    gold: list[Sentence], system: GraphTreebank, progress: OnProgress | None
) -> list[tuple[Graph, Graph]]:
    """Return the graphs of gold sentences and what a system has in their place.

    Words are numbered through the text. A word that gold does not have gets a negative number, and
    its arcs are in the last pair.
    """
    _, theirs, pairs = align_texts(gold, system, progress)
    sentences = [cast(Sentence, sentence) for sentence in theirs.source]
    position = {s + 1: g + 1 for g, s in pairs}
    arcs = [arc for graph in _numbered(sentences) for arc in graph]
    moved = [(position.get(h, -h), label, position.get(w, -w)) for h, label, w in arcs]
    by_word: dict[int, set[GraphArc]] = {}
    for arc in moved:
        by_word.setdefault(max(arc[2], 0), set()).add(arc)
    found, first = [], 1
    for sentence, expected in zip(gold, _numbered(gold), strict=True):
        words = range(first, first + len(sentence))
        found.append((expected, frozenset().union(*(by_word.get(w, ()) for w in words))))
        first += len(sentence)
    others = frozenset(by_word.get(0, ()))
    return [*found, (frozenset(), others)] if others else found


def _numbered(sentences: list[Sentence]) -> list[Graph]:
    """Return the graphs of sentences whose words are numbered through the text; 0 is the root."""
    found, n_before = [], 0
    for sentence in sentences:
        arcs = enhanced_graph(sentence)
        found.append(frozenset((h and h + n_before, label, w + n_before) for h, label, w in arcs))
        n_before += len(sentence)
    return found


def _universal(label: str) -> str:
    """Return the universal part of a label, or of each label on a path through empty nodes."""
    return THROUGH.join(map(universal_part, label.split(THROUGH)))


def _count(graphs: list[tuple[Graph, Graph]], project: Projection) -> Arcs:
    """Count the arcs of all sentences, each graph projected first."""
    n_gold = n_system = n_right = 0
    for gold, system in graphs:
        expected, found = Counter(project(gold)), Counter(project(system))
        n_gold += expected.total()
        n_system += found.total()
        n_right += (expected & found).total()
    return Arcs(n_gold, n_system, n_right, n_right)
