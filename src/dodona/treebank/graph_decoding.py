"""From the graphs that a parser builds to the DEPS column: arcs let down, words put into labels."""

from __future__ import annotations

from collections.abc import Iterable

from dodona.core.corpus import Corpus
from dodona.treebank.empty_nodes import EMPTY_NODE, THROUGH, with_empty_nodes
from dodona.treebank.enhanced import Arc, with_graph
from dodona.treebank.graphs import AND, BACK, UP, deplanarise
from dodona.treebank.lexical_labels import lexicalise
from dodona.treebank.sentence import Sentence


def write_graphs(
    corpus: Corpus, sentences: Iterable[Sentence], labels: list[str]
) -> list[Sentence]:
    """The sentences with the graphs of the corpus in their DEPS column, as people write them."""
    special = {i for i, label in enumerate(labels) if _is_lifted(label)}
    worded = {i for i, label in enumerate(labels) if "{" in label}
    passing = {i for i, label in enumerate(labels) if THROUGH in label}
    written = []
    for i, sentence in enumerate(sentences):
        graph = corpus.graph(i)
        ids = {label for _, label, _ in graph}
        arcs: Iterable[Arc] = [(head, labels[label or 0], word) for head, label, word in graph]
        if not special.isdisjoint(ids):
            arcs = deplanarise(arcs)
        if not worded.isdisjoint(ids):
            arcs = lexicalise(sentence, arcs)
        made = with_graph(sentence, arcs)
        if not passing.isdisjoint(ids) or EMPTY_NODE.search(bytes(sentence)):
            made = with_empty_nodes(made)
        written.append(made)
    return written


def _is_lifted(label: str) -> bool:
    return any(mark in label for mark in (UP, AND, BACK))
