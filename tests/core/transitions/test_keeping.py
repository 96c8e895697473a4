"""Moves that keep given arcs in reach, beside exhaustive search."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

import dodona
from dodona.core.transitions.registry import find_system
from reference.search import Action, Definition, Space, unlabelled
from reference.trees import all_trees, projective_trees, random_tree
from reference.twins import all_twins

LABELS = ("root",)
TREES = {
    (name, root): twin
    for name, twin in all_twins().items()
    for root in find_system(name).roots
    if not find_system(name).builds_graphs
}
Partial = tuple[int | None, ...]


def partials(name: str, n: int, one_root: bool) -> set[Partial]:
    """Every tree that the system builds, with every set of unknown heads."""
    trees = projective_trees(n) if find_system(name).projective_only else all_trees(n)
    return {
        tuple(None if gap else head for head, gap in zip(heads, gaps, strict=True))
        for heads in trees
        if heads.count(0) == 1 or not one_root
        for gaps in product([True, False], repeat=n)
    }


def core_states(system: dodona.System, twin: Space[Any], n: int) -> dict[Any, dodona.State]:
    cores = {twin.system.start(n): system.start(n)}
    for state in twin.reachable(n):
        for action, after in twin.successors(state).items():
            if after not in cores:
                cores[after] = system.step(cores[state], dodona.Action(*action))
    return cores


@pytest.mark.thorough("-4")
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(("name", "root"), TREES)
def test_an_action_is_left_out_if_and_only_if_no_derivation_after_it_has_all_given_arcs(
    name: str, root: str, n: int
) -> None:
    twin = Space(TREES[name, root].kind(LABELS, root))
    system = dodona.system(name, labels=LABELS, root=root)
    cores = core_states(system, twin, n)
    found = partials(name, n, TREES[name, root].one_root)
    n_left_out = 0
    for heads in found if n < 4 else Random(1).sample(sorted(found, key=repr), 150):
        gold = dodona.Gold(heads, [None] * n)
        arcs = frozenset((h, "root", d) for d, h in enumerate(heads, 1) if h is not None)
        definition = Definition(twin, arcs, unlabelled)
        for state, core in cores.items():
            if not twin.system.is_final(state) and definition.min_loss(state) == 0:
                costs = definition.costs(state)
                kept = {Action(*action) for action in system.keeping(core, gold)}
                assert kept == {action for action in costs if costs[action] == 0}, (state, heads)
                n_left_out += len(costs) - len(kept)
    assert n == 1 or n_left_out > 0


@pytest.mark.parametrize("n", [3, 8, 14])
def test_swap_keeps_any_tree_in_reach_beyond_what_it_can_search(n: int) -> None:
    """Random walks among the moves that are kept end with every given arc."""
    random = Random(n)
    system = dodona.system("swap", labels=LABELS)
    n_free = 0
    for _ in range(60):
        tree = random_tree(n, random)
        heads = [head if random.random() < 0.5 else None for head in tree]
        gold = dodona.Gold(heads, [None] * n)
        state = system.start(n)
        while not system.is_final(state):
            kept = system.keeping(state, gold)
            n_free += len(kept) > 1
            state = system.step(state, random.choice(kept))
        for built, head in zip(state.heads, heads, strict=True):
            assert head in (None, built)
    assert n_free > 60
