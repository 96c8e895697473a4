"""Scores that are remembered against scores that are added up each time."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import dodona
from dodona.core.search.beam import Beam
from dodona.core.search.tracing import derivations, trace
from support.small import enhanced, parser, treebank

SEARCH = import_module("dodona._compiled.core_search")
LEARNING = import_module("dodona._compiled.core_learning")


def trees(root: str) -> tuple[list[object], list[object]]:
    """Arcs of sentences, found with what is remembered of others, and step by step without."""
    a_parser = parser(root)
    search, sentences = a_parser._search("one"), treebank(60, 5)
    corpus = a_parser.encoder.encode(sentences)
    search.parse(corpus)
    search.parse(corpus)  # all that there is room for is known now
    found, expected = [], []
    for i, sentence in enumerate(sentences):
        state, _ = a_parser.trace(sentence)[-1]  # which has no cache
        arcs = {(head, dependent) for head, _, dependent in state.arcs if head != 0}
        heads = corpus.heads(i)
        found.append({(heads[dependent - 1], dependent) for _, dependent in arcs})
        expected.append(arcs)
    return found, expected


@pytest.mark.parametrize("root", ["first", "last", "none"])
def test_the_cache_changes_no_tree(root: str) -> None:
    found, expected = trees(root)
    assert found == expected
    assert all(expected[:5])


def test_entries_that_replace_others_change_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two entries, nearly every sum is overwritten by the next."""
    monkeypatch.setattr(SEARCH, "LOG_SIZES", (1, 1, 1, 1))
    found, expected = trees("first")
    assert found == expected


@pytest.mark.parametrize("graph", ["enhanced", "basic+enhanced"])
@pytest.mark.parametrize("log_size", [1, 6])
def test_the_cache_changes_no_graph(
    graph: str, log_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SEARCH, "LOG_SIZES", (log_size,) * 4)
    sentences = [enhanced(sentence) for sentence in treebank(40, 3, 0.1)]
    trained = dodona.train(sentences, epochs=2, graph=graph)
    a_parser = trained.graphs or trained
    corpus = a_parser.encoder.encode(sentences)
    a_parser.search.parse(corpus)
    a_parser.search.parse(corpus)
    n_arcs = 0
    for i in range(len(sentences)):
        state, _ = trace(a_parser.search, corpus, i)[-1]  # which has no cache
        built = {arc for arc in state.arcs if arc[0] != 0}
        named = a_parser.system.labels
        assert built <= {(head, named[label], word) for head, label, word in corpus.graph(i)}
        n_arcs += len(built)
    assert n_arcs > 100


def test_the_cache_changes_no_derivation_of_a_beam(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a_parser = parser("first")
    corpus = a_parser.encoder.encode(treebank(20, 5))
    found = []
    for log_size in (1, 10):
        monkeypatch.setattr(SEARCH, "LOG_SIZES", (log_size,) * 4)
        beam = Beam(a_parser.scorer.state_scorer, a_parser.actions, width=4)
        found.append([derivations(beam, corpus, i) for i in range(len(corpus))])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"system": "arc-hybrid", "training": "static"},
        {"graph": "enhanced"},
        {"beam": 4, "update": "early"},
        {"beam": 4, "update": "max-violation"},
    ],
)
def test_the_cache_in_training_changes_no_weight(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache is cleared as soon as a weight changes."""
    sentences, found = [enhanced(sentence) for sentence in treebank(30, 4)], []
    for log_size in (1, 10):
        for name in ("LOG_LEARNED", "LOG_SUMS"):
            monkeypatch.setattr(LEARNING, name, (log_size,) * 4)
        trained = dodona.train(sentences, epochs=3, **settings)
        found.append((trained.scorer.weights.buckets_bytes(), trained.scorer.weights.rows_bytes()))
    assert found[0] == found[1]
