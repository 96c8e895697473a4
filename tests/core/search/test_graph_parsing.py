"""Parsing into graphs: trained, saved and used; every output is a valid graph."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dodona
from dodona.core.features.features import Features
from dodona.core.features.templates import load_templates
from dodona.evaluation import evaluate_graphs
from dodona.parsing.preparation import prepare_graphs
from dodona.settings import Settings
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.graphs.empty_nodes import with_empty_nodes
from dodona.treebank.graphs.enhanced import GraphArc, enhanced_graph, with_graph
from dodona.treebank.graphs.graph_decoding import GraphDecoder
from dodona.treebank.graphs.graphs import deplanarise
from dodona.treebank.graphs.lexical_labels import delexicalise, lexicalise
from support.small import enhanced, treebank

SYSTEMS = pytest.mark.parametrize("system", ["graph-eager", "graph-standard"])


TRAIN = [enhanced(sentence) for sentence in treebank(150, 1, 0.1)]
UNSEEN = [enhanced(sentence) for sentence in treebank(60, 2)]
KNOWN = [form for sentence in TRAIN[:20] for form in sentence.forms]
_parsers: dict[tuple[tuple[str, Any], ...], dodona.Parser] = {}


def parser(**options: Any) -> dodona.Parser:
    """A parser of these settings; each is trained once."""
    key = tuple(sorted(options.items()))
    if key not in _parsers:
        _parsers[key] = dodona.train(TRAIN, **{"epochs": 4, **options})
    return _parsers[key]


def check_valid(sentence: dodona.Sentence) -> None:
    """Every word can be reached from the root, no arc is there twice, and all ids exist."""
    for deps in sentence.deps:
        assert deps != "_" and len(set(deps.split("|"))) == len(deps.split("|"))
    below: dict[int, list[int]] = {}
    for head, label, word in enhanced_graph(sentence):
        assert 0 <= head <= len(sentence) and head != word and "{" not in label
        below.setdefault(head, []).append(word)
    reached, todo = {0}, [0]
    while todo:
        new = set(below.get(todo.pop(), ())) - reached
        reached |= new
        todo += new
    assert reached == set(range(len(sentence) + 1))


# the costs of graph-standard are estimates: it is trained with its static oracle
@pytest.mark.parametrize(
    ("system", "training"),
    [("graph-eager", "static"), ("graph-eager", "explore"), ("graph-standard", "static")],
)
def test_a_parser_into_graphs_learns(system: str, training: str, tmp_path: Path) -> None:
    trained = parser(system=system, training=training)
    parsed = list(trained.pipe(UNSEEN))
    for sentence in parsed:
        check_valid(sentence)
    scores = evaluate_graphs(UNSEEN, parsed)
    assert scores.elas > 60
    assert [s.heads for s in parsed] == [s.heads for s in UNSEEN]  # the tree is not its business
    trained.save(tmp_path / "model")
    again = dodona.load(tmp_path / "model")
    assert list(map(bytes, again.pipe(UNSEEN, threads=2))) == list(map(bytes, parsed))


def test_tree_and_graph_in_one_run(tmp_path: Path) -> None:
    both = parser(graph="basic+enhanced")
    parsed = list(both.pipe(UNSEEN))
    for sentence in parsed:
        check_valid(sentence)
    alone = dodona.train(TRAIN, epochs=4)
    assert [s.heads for s in parsed] == [s.heads for s in alone.pipe(UNSEEN)]
    scores = evaluate_graphs(UNSEEN, parsed)
    assert scores.elas > evaluate_graphs(UNSEEN, parser(graph="enhanced").pipe(UNSEEN)).elas
    both.save(tmp_path / "model")
    again = dodona.load(tmp_path / "model")
    assert list(map(bytes, again.pipe(UNSEEN))) == list(map(bytes, parsed))


words = st.sampled_from([*KNOWN[:30], "?", "Dodona"])


@given(st.lists(words, min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_whatever_comes_becomes_a_valid_graph(forms: list[str]) -> None:
    sentence = dodona.Sentence.from_columns(forms)
    for options in (
        {"system": "graph-eager", "training": "explore"},
        {"system": "graph-standard", "training": "static"},
        {"graph": "basic+enhanced"},
    ):
        check_valid(parser(**options).parse(sentence))


@SYSTEMS
def test_trace_shows_states_with_several_heads(system: str) -> None:
    trained = parser(system=system, training="static")
    steps = trained.trace(UNSEEN[0])
    assert steps[-1][1] is None and trained.system.is_final(steps[-1][0])
    for (state, action), (after, _) in pairwise(steps):
        assert action is not None and trained.system.step(state, action) == after
    assert isinstance(steps[-1][0].heads[0], tuple)


@pytest.mark.thorough
def test_maximum_entropy_learns_the_static_oracle() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    trained = parser(system="graph-eager", learner="maxent")
    assert trained.settings.training == "static" and trained.settings.epochs == 1
    parsed = list(trained.pipe(UNSEEN))
    assert evaluate_graphs(UNSEEN, parsed).elas > 60
    for sentence in parsed:
        check_valid(sentence)


def test_rare_labels_become_simpler_ones() -> None:
    odd = [with_graph(s, {(h, "obj:odd" if lab == "obj" else lab, d) for h, lab, d in g})
           for s in TRAIN[:1] for g in [enhanced_graph(s)]]  # fmt: skip
    encoder = Encoder(Features(load_templates("graph")).columns)
    data = prepare_graphs(odd + TRAIN[1:], encoder)
    assert b"obj:odd" not in encoder.labels and b"obj" in encoder.labels
    assert len(data.order) == len(TRAIN)


def test_labels_lose_their_words_and_get_them_back() -> None:
    for sentence in TRAIN:
        graph = enhanced_graph(sentence)
        bare = delexicalise(sentence, graph)
        assert lexicalise(sentence, bare) == graph
    assert any("{case}" in label for _, label, _ in bare)


def test_a_conjunct_borrows_the_words_of_the_other() -> None:
    sentence = dodona.Sentence.from_columns(
        ["speak", "of", "oaks", "because", "of", "doves"],
        lemmas=["speak", "of", "oak", "because", "of", "dove"],
        feats=["_", "_", "Case=Dat", "_", "_", "_"],
    )
    graph: set[GraphArc] = {(0, "root", 1), (1, "obl:of:dat", 3), (3, "case", 2), (3, "conj", 6)}
    graph |= {(1, "obl:because_of", 6), (6, "case", 4), (4, "fixed", 5)}
    bare = delexicalise(sentence, graph)
    assert {label for _, label, _ in bare} >= {"obl:{case}:{Case}", "obl:{case}"}
    assert lexicalise(sentence, bare) == graph
    borrowed = (graph - {(6, "case", 4), (1, "obl:because_of", 6)}) | {(1, "obl:of", 6)}
    assert (1, "obl:{case}", 6) in delexicalise(sentence, borrowed)
    # what is not to be found is left out
    assert lexicalise(sentence, [(1, "obl:{mark}", 3)]) == {(1, "obl", 3)}


def test_without_graphs_there_is_nothing_to_learn() -> None:
    with pytest.raises(ValueError, match="DEPS column is empty"):
        dodona.train(treebank(5, 1), graph="enhanced")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"graph": "basic+enhanced", "system": "graph-eager"}, "give a system for trees"),
        ({"graph": "enhanced", "system": "swap"}, "needs one of graph-standard, graph-eager"),
        ({"graph": "enhanced", "beam": 4}, "graphs are parsed greedily"),
        ({"system": "graph-eager", "beam": 4}, "graphs are parsed greedily"),
        ({"learner": "maxent", "training": "explore"}, "static oracle alone"),
    ],
)
def test_settings_that_do_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**options)


def test_templates_of_graphs_are_refused_by_trees() -> None:
    with pytest.raises(ValueError, match="templates are for systems of graphs"):
        dodona.train(TRAIN, features="graph", epochs=1)


def test_searches_are_for_what_they_search() -> None:
    graphs = parser(system="graph-eager")
    with pytest.raises(ValueError, match="graphs, which are parsed greedily"):
        list(graphs.pipe(UNSEEN, beam=2))


def slowly_written(sentence: dodona.Sentence, arcs: Iterable[GraphArc]) -> dodona.Sentence:
    """What the decoder does, in plain Python."""
    made = with_graph(sentence, lexicalise(sentence, deplanarise(arcs)))
    return with_empty_nodes(made)


def test_the_decoder_writes_what_its_plain_twin_does() -> None:
    labels = ["case", "cc", "mark", "fixed", "conj", "conj:{cc}", "obl:{case}:{Case}", "obl"]
    labels += ["advcl:{mark}", "obl↑conj", "conj↑obl", "case↑conj:{cc}", "obl|obl↑advcl:{mark}"]
    labels += ["acl⇄obl:{case}", "conj|obl⇄cc|mark↑obl", "conj>obl", "conj>conj>case|obl"]
    decoder = GraphDecoder(labels)
    random = Random(1)
    sentences = [s for s in TRAIN if len(s) > 3]
    corpus = Encoder(["form"]).encode(sentences)
    graphs = []
    for i, sentence in enumerate(sentences):
        pairs = [(h, d) for d in range(1, len(sentence) + 1) for h in range(d)]
        chosen = random.sample(pairs, min(len(pairs), 2 * len(sentence)))
        chosen = [(d, h) if h and random.random() < 0.5 else (h, d) for h, d in chosen]
        # under the root nothing leads the other way
        graph = [(h, random.randrange(len(labels)) if h else 7, d) for h, d in chosen]
        corpus.set_graph(i, graph)
        graphs.append([(h, labels[label], d) for h, label, d in graph])
    for found, sentence, graph in zip(
        decoder.decode(corpus, sentences), sentences, graphs, strict=True
    ):
        assert bytes(found) == bytes(slowly_written(sentence, graph))


@pytest.mark.parametrize("graph", ["enhanced", "basic+enhanced"])
def test_a_parser_that_knows_nothing_still_makes_valid_graphs(graph: str) -> None:
    hopeless = dodona.train(TRAIN[:6], graph=graph, epochs=1, explore_after=0)
    random = Random(3)
    for n_words in (*range(1, 30), 90):
        jumble = dodona.Sentence.from_columns(random.choices(KNOWN, k=n_words))
        check_valid(hopeless.parse(jumble))
