"""Features of graphs: each part of a template tells states apart as a plain reading does."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import dodona
from dodona.core.features.features import Features
from dodona.core.features.templates import load_templates
from dodona.treebank.encoding.encoding import Encoder

LABELS = ["root", "nsubj", "obj"]
SENTENCE = dodona.Sentence.from_columns(
    ["oaks", "doves", "speak", "and", "coo"],
    upos=["A", "B", "C", "D", "E"],
    heads=[3, 1, 0, 5, 3],
    deprels=["nsubj", "conj", "root", "cc", "conj"],
)
Arcs = list[tuple[int, str | None, int]]


def walks(name: str) -> Iterator[tuple[dodona.State, list[dodona.Action], Arcs]]:
    """States on random derivations, with the actions so far and the arcs in the order they came."""
    system = dodona.system(name, labels=LABELS)
    for seed in range(60):
        random, state = Random(seed), system.start(len(SENTENCE))
        actions: list[dodona.Action] = []
        arcs: Arcs = []
        while not system.is_final(state):
            yield state, list(actions), list(arcs)
            actions.append(random.choice(system.valid(state)))
            after = system.step(state, actions[-1])
            arcs += after.arcs - state.arcs  # one at most
            state = after


def joined(left: int | None, right: int | None, arcs: Arcs) -> object:
    found = [(head < word, label) for head, label, word in arcs if {head, word} == {left, right}]
    return found[0] if found else "apart"


def node(state: dodona.State, slot: str) -> int | None:
    row = state.stack[::-1] if slot[0] == "s" else state.buffer
    return row[int(slot[1])] if int(slot[1]) < len(row) else None


def reading(template: str, state: dodona.State, actions: list[dodona.Action], arcs: Arcs) -> object:
    """The value of a part; None where its slot is empty."""
    tree: Arcs = [
        (head or 0, label, word)
        for word, (head, label) in enumerate(zip(SENTENCE.heads, SENTENCE.deprels, strict=True), 1)
    ]
    s0, s1, b0 = node(state, "s0"), node(state, "s1"), node(state, "b0")
    links = {"link": (s0, b0, arcs), "stack_link": (s1, s0, arcs)}
    links |= {"tree_link": (s0, b0, tree), "stack_tree_link": (s1, s0, tree)}
    if template in links:
        left, right, of = links[template]
        return None if left is None or right is None else joined(left, right, of)
    if template.startswith("action"):
        back = 2 if template.endswith("2") else 1
        return actions[-back] if len(actions) >= back else "none yet"
    if s0 is None:
        return None
    into = [(head, label) for head, label, word in arcs if word == s0]
    above = {word: head for head, _, word in tree}.get(s0)
    return {
        "s0.n_heads": len(into),
        "s0.head_labels": tuple(sorted(str(label) for _, label in into)),
        "s0.head2.upos": into[-2][0] if len(into) > 1 else None,
        "s0.tree_head.upos": above,
        "s0.tree_label": SENTENCE.deprels[s0 - 1] if s0 else "of the root",
    }[template]


TEMPLATES = ["link", "stack_link", "tree_link", "stack_tree_link", "action", "action2"]
TEMPLATES += ["s0.n_heads", "s0.head_labels", "s0.head2.upos", "s0.tree_head.upos", "s0.tree_label"]


@pytest.mark.parametrize("name", ["graph-eager", "graph-standard"])
@pytest.mark.parametrize("template", TEMPLATES)
def test_keys_tell_apart_what_a_plain_reading_does(name: str, template: str) -> None:
    features = Features(template)
    encoder = Encoder(features.columns)
    encoder.learn([SENTENCE])
    corpus = encoder.encode([SENTENCE])
    key_of: dict[object, int] = {}
    for state, actions, arcs in walks(name):
        keys, value = features.keys(state, corpus), reading(template, state, actions, arcs)
        assert bool(keys) == (value is not None)
        for key in keys:
            assert key_of.setdefault(value, key) == key
    assert 1 < len(key_of) == len(set(key_of.values()))


@pytest.mark.parametrize("name", ["graph", "graph-tree"])
def test_shipped_templates_give_each_feature_a_key_of_its_own(name: str) -> None:
    features = Features(load_templates(name))
    encoder = Encoder(features.columns)
    encoder.learn([SENTENCE])
    corpus = encoder.encode([SENTENCE])
    for state, _, _ in walks("graph-eager"):
        keys = features.keys(state, corpus)
        assert 0 < len(keys) == len(set(keys)) <= features.n_templates


def test_states_of_trees_do_not_have_them() -> None:
    system = dodona.system("arc-eager", labels=LABELS)
    features = Features("link + s0.tag")
    corpus = Encoder(features.columns).encode([SENTENCE])
    assert features.for_graphs
    with pytest.raises(ValueError, match="arc-eager builds trees"):
        features.keys(system.start(5), corpus)
