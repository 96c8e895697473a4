"""Training on next to nothing, or on one-sided data, gives a parser that parses anything."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.core.transitions.registry import GRAPH_SYSTEMS, SYSTEMS
from dodona.storage.container import ContainerError
from dodona.treebank.graphs.enhanced import enhanced_graph, with_graph
from dodona.treebank.trees.projectivity import is_tree, n_roots
from support.small import train, treebank

SYSTEM_NAMES = [name for name, kind in SYSTEMS.items() if not issubclass(kind, dodona.PythonSystem)]


def made(*heads: int, labels: str = "ab") -> dodona.Sentence:
    forms = [f"w{i % 3}" for i in range(len(heads))]
    deprels = ["root" if head == 0 else labels[i % len(labels)] for i, head in enumerate(heads)]
    upos = [labels[i % len(labels)] for i in range(len(heads))]
    return dodona.Sentence.from_columns(forms, upos=upos, heads=heads, deprels=deprels)


DATA = {
    "one word": [made(0)] * 3,
    "one label": [made(2, 0, 2, labels="a"), made(0, 1, labels="a")],
    "roots only": [made(0, 0, 0), made(0, 0)],
    "one sentence": [made(2, 0, 2, 3)],
    "only left": [made(2, 3, 0), made(2, 0), made(0)],
    "only right": [made(0, 1, 2), made(0, 1, 1), made(0)],
}
LONGER = [*treebank(3, 1), made(0), made(0, 1), made(*[0] * 9), made(*[0] * 40)]


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", SYSTEM_NAMES)
def test_it_parses_longer_sentences_into_trees(name: str, data: str, beam: int) -> None:
    parser = train(DATA[data], system=name, beam=beam, projectivise="none")
    for given, found in zip(LONGER, parser.pipe(LONGER), strict=True):
        assert found.forms == given.forms
        assert is_tree(found.heads), found.heads
        assert n_roots(found.heads) == 1
        assert {*found.deprels} <= {"root", "a", "b"}


@pytest.mark.parametrize("training", ["static", "ambiguity"])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", SYSTEM_NAMES)
def test_so_it_does_however_it_was_trained(name: str, data: str, training: str) -> None:
    parser = train(DATA[data], system=name, training=training, projectivise="none")
    assert all(is_tree(found.heads) for found in parser.pipe(LONGER))


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", GRAPH_SYSTEMS)
def test_it_parses_longer_sentences_into_graphs(name: str, data: str) -> None:
    graphs = [
        with_graph(tree, set(zip(tree.heads, tree.deprels, range(1, len(tree) + 1), strict=True)))
        for tree in DATA[data]
    ]
    parser = dodona.train(graphs, system=name, epochs=2)
    for found in parser.pipe(LONGER):
        arcs = enhanced_graph(found)
        reached = {0}
        while more := {d for h, _, d in arcs if h in reached and d not in reached}:
            reached |= more
        assert len(reached) == len(found) + 1


@pytest.mark.parametrize("name", ["arc-standard", "swap", "nonmonotonic"])
def test_a_model_without_a_way_on_is_refused_when_it_is_loaded(name: str, tmp_path: Path) -> None:
    parser = train(DATA["one word"], system=name)
    arcs = [i for i, pair in enumerate(parser.pairs) if pair[1] >= 0]
    for i in arcs:
        move, label, _, _ = parser.pairs[i]
        parser.pairs[i] = (move, label, False, False)
    parser.save(tmp_path / "model")
    with pytest.raises(ContainerError, match="does not fit together: no class for an arc"):
        dodona.load(tmp_path / "model")
