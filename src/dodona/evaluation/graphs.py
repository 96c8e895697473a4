"""Scores of dependency graphs: precision, recall and F1 of arcs, and ELAS.

ELAS is the F1 of labelled arcs as the IWPT shared tasks count it (Bouma, Seddah & Zeman 2020,
2021): over all arcs of the DEPS column, with subtypes and case of labels, and with empty nodes
contracted into the arcs that pass through them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from dodona.evaluation.pairs import EvaluationError, OnProgress, load, pair
from dodona.evaluation.score_counts import Arcs
from dodona.evaluation.table import arcs_table, render
from dodona.treebank.graphs.enhanced import GraphArc, enhanced_graph
from dodona.treebank.sentence import Sentence

Graph: TypeAlias = frozenset[GraphArc]
GraphTreebank: TypeAlias = str | os.PathLike[str] | Iterable[Sentence]


@dataclass(frozen=True, slots=True)
class GraphScores:
    """Result of `evaluate_graphs`; percentages from 0 to 100, unrounded."""

    n_sentences: int
    n_words: int
    labelled: Arcs
    unlabelled: Arcs
    n_exact: int  # sentences whose labelled graph is right

    @property
    def elas(self) -> float:
        """F1 of labelled arcs."""
        return self.labelled.f1

    def table(self) -> str:
        """Return the scores as a table of arcs with and without labels."""
        rows = {"labelled (F1: ELAS)": self.labelled, "unlabelled": self.unlabelled}
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
            "labelled": self.labelled.to_dict(),
            "unlabelled": self.unlabelled.to_dict(),
        }


def evaluate_graphs(
    gold: GraphTreebank, system: GraphTreebank, *, progress: OnProgress | None = None
) -> GraphScores:
    """Score the graphs in a system's DEPS column against gold ones of the same words.

    `gold` and `system` are paths of CoNLL-U files or iterables of sentences. In unlabelled scores,
    arcs between the same two words in the same direction count once. `progress` is called with the
    number of words of each sentence.

    >>> gold = Sentence.from_columns(["Oaks", "speak"], deps=["2:nsubj|0:dep", "0:root"])
    >>> system = Sentence.from_columns(["Oaks", "speak"], deps=["2:obj", "0:root"])
    >>> scores = evaluate_graphs([gold], [system])
    >>> f"{scores.elas:.2f} {scores.unlabelled.precision:.2f} {scores.unlabelled.recall:.2f}"
    '40.00 100.00 66.67'
    """
    pairs, graphs = [], []
    for both in pair(load(gold), load(system), punctuation=True, progress=progress):
        pairs.append(both)
        expected, found = (enhanced_graph(cast(Sentence, tree)) for tree in both[:2])
        graphs.append((expected, found))
    if not any(expected for expected, _ in graphs):
        raise EvaluationError("no gold arc to score: the DEPS column is empty throughout")
    return GraphScores(
        n_sentences=len(pairs),
        n_words=sum(len(p.gold.forms) for p in pairs),
        labelled=_count(graphs, frozenset),
        unlabelled=_count(graphs, lambda arcs: frozenset((head, d) for head, _, d in arcs)),
        n_exact=sum(expected == found for expected, found in graphs),
    )


def _count(graphs: list[tuple[Graph, Graph]], project: Callable[[Graph], frozenset[Any]]) -> Arcs:
    """Count the arcs of all sentences, each graph projected first."""
    n_gold = n_system = n_right = 0
    for gold, system in graphs:
        expected, found = project(gold), project(system)
        n_gold += len(expected)
        n_system += len(found)
        n_right += len(expected & found)
    return Arcs(n_gold, n_system, n_right, n_right)
