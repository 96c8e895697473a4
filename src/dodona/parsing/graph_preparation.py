"""Preparation of enhanced graphs for training: delexicalised labels, lifted crossing arcs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dodona.parsing.preparation import TrainingData
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.graphs.enhanced import GraphArc, enhanced_graph
from dodona.treebank.graphs.graphs import AND, BACK, UP, Planar, planarise
from dodona.treebank.graphs.lexical_labels import delexicalise
from dodona.treebank.sentence import Sentence

# Rarer labels are simplified. In en_ewt 97% of the arcs keep their label with 92 labels; with 505
# it would be 99%, for +0.3 ELAS on dev after two epochs, at half the speed.
LEAST, LEAST_SHARE = 3, 2_500


def prepare_graphs(sentences: list[Sentence], encoder: Encoder) -> TrainingData:
    """Encode graphs, and make them planar for systems whose arcs do not cross."""
    encoder.learn(sentences)
    planar = [_planar(s) for s in sentences]
    if not any(graph.arcs for graph in planar):
        raise TreebankError(
            sentences[0].source,
            None,
            "the DEPS column is empty throughout: there is no graph to learn from; use a treebank "
            "with enhanced dependencies",
        )
    counts = Counter(label for graph in planar for _, label, _ in graph.arcs)
    least = max(LEAST, counts.total() // LEAST_SHARE)
    graphs = [_simplify(graph.arcs, counts, least) for graph in planar]
    roots = Counter(label for arcs in graphs for head, label, _ in arcs if head == 0)
    root_label = max(roots, key=lambda label: (roots[label], label), default="root")
    for label in sorted({label for arcs in graphs for _, label, _ in arcs} | {root_label}):
        encoder.add_label(label.encode())
    data = TrainingData(encoder, encoder.encode(sentences), sum(map(len, sentences)), root_label)
    for i, arcs in enumerate(graphs):
        numbered = [(h, encoder.add_label(label.encode()), d) for h, label, d in sorted(arcs)]
        data.corpus.set_graph(i, numbered)
        data.n_nonprojective += planar[i].n_lifted > 0
        data.n_lifted += planar[i].n_lifted
        data.n_unannotated += len(sentences[i]) - len({d for _, _, d in arcs})
        if arcs:
            data.order.append(i)
    return data


def _planar(sentence: Sentence) -> Planar:
    try:
        return planarise(delexicalise(sentence, enhanced_graph(sentence)))
    except TreebankError:
        raise
    except ValueError as error:
        raise TreebankError(sentence.source, sentence.line, str(error)) from error


def _simplify(arcs: Iterable[GraphArc], counts: Counter[str], least: int) -> list[GraphArc]:
    """Return the arcs, with rare labels replaced by the most similar frequent ones."""
    return [(head, _simplify_label(label, counts, least), word) for head, label, word in arcs]


def _simplify_label(label: str, counts: Counter[str], least: int) -> str:
    for mark in (BACK, AND, UP, ":"):
        while counts[label] < least and mark in label:
            label = label.rpartition(mark)[0]
    return label
