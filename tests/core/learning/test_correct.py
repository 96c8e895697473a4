"""CORRECT (Aufrant et al. 2017) is what it says: the best tree in reach still is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from dodona.core.learning.beam_training import BeamTrainer
from reference.search import Action, Definition, Space, labelled, unlabelled
from reference.trees import (
    arcs_of,
    projective_trees,
)
from reference.twins import exact_twins
from support.beam_lab import ONE, TWO, Lab
from support.best_end import BestEnd

EXACT = exact_twins()
LOSSES = {"labelled": labelled, "unlabelled": unlabelled}


@cache
def space(name: str, root: str, labels: tuple[str, ...]) -> Space[Any]:
    """The twin's states, searched once and shared by all gold trees."""
    return Space(EXACT[name, root].kind(labels, root))


def after(one: Lab, twin: Space[Any], state: Any, klass: int) -> Any:
    """Where a class leads the twin."""
    move, label, _, _ = one.actions.pairs[klass]
    names = {one.system.moves[move], (one.system.other_names or {}).get(move)}
    [found] = [
        end
        for action, end in twin.successors(state).items()
        if action.move in names and (label < 0 or action.label == one.system.labels[label])
    ]
    return found


def classes_to(one: Lab, twin: Space[Any], n: int) -> dict[Any, list[int]]:
    """Every reachable state that is not final, with classes that lead to it."""
    paths: dict[Any, list[int]] = {twin.system.start(n): []}
    todo = list(paths)
    for state in todo:
        for c, action in enumerate(one.actions.pairs):
            name, label = one.system.moves[action[0]], action[1]
            other = (one.system.other_names or {}).get(action[0])
            wanted = one.system.labels[label] if label >= 0 else None
            if Action(name, wanted) in twin.successors(state) or (
                other is not None and Action(other, None) in twin.successors(state)
            ):
                end = after(one, twin, state, c)
                if end not in paths:
                    paths[end] = [*paths[state], c]
                    todo.append(end)
    return {state: path for state, path in paths.items() if not twin.system.is_final(state)}


def best_steps(definition: Definition[Any]) -> Callable[[Any], set[Any]]:
    """Where one can go from a state without a loss, and without more repairs than needed."""
    space, twin = definition.space, definition.space.system
    if hasattr(twin, "is_repair"):
        best = BestEnd(definition, twin)
        return lambda state: (
            {
                space.successors(state)[action]
                for action, end in best.after_actions(state).items()
                if end == best.of(state)
            }
            or {state}
        )
    return lambda state: (
        {
            end
            for end in space.successors(state).values()
            if definition.min_loss(end) == definition.min_loss(state)
        }
        or {state}
    )


def check_correct(one: Lab, name: str, root: str, loss: str, every: int) -> int:
    """In the beam, CORRECT is "the best tree in reach of the start is still in reach".

    In systems with repairs, one that was reached with more of them than needed is not.
    """
    n = len(one.sentence)
    twin = space(name, root, one.system.labels)
    gold = arcs_of(tuple(head or 0 for head in one.gold.heads), one.gold_labels)
    definition = Definition(twin, gold, LOSSES[loss])
    trainer = BeamTrainer(one.corpus, one.features, one.actions, one.weights, width=1000)
    steps, has_repairs = best_steps(definition), hasattr(twin.system, "is_repair")
    n_wrong = 0
    for origin, path in list(classes_to(one, twin, n).items())[::every]:
        level = correct = {origin}
        for n_steps in range(1, 4 * n):
            beam = trainer.hypotheses(0, path, n_steps)
            correct = {end for state in correct for end in steps(state)}
            ends = {}
            for _, classes, is_correct in beam:
                state = origin
                for c in classes:
                    state = after(one, twin, state, c)
                ends[state] = is_correct
                where = f"{origin} to {state}, gold {one.gold}"
                assert is_correct == (state in correct), where
                still = definition.min_loss(state) == definition.min_loss(origin)
                assert is_correct == still or (still and has_repairs), where
                n_wrong += not is_correct
            level = {end for state in level for end in (twin.successors(state).values() or [state])}
            assert set(ends) == level, "the beam was wide enough for all there is"
            if all(map(twin.system.is_final, level)):
                break
    return n_wrong


@pytest.mark.thorough
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(("name", "root"), EXACT)
def test_correct_is_that_the_best_tree_in_reach_of_the_start_still_is(
    name: str, root: str, n: int, loss: str
) -> None:
    """From every configuration, however bad; of four words some trees and configurations."""
    trees = [t for t in projective_trees(n) if t.count(0) == 1 or not EXACT[name, root].one_root]
    labels = TWO if n < 4 and name != "nonmonotonic-2013" else ONE
    n_wrong = 0
    for seed, heads in enumerate(trees if n < 4 else trees[::11]):
        one = Lab(name, root, labels, heads, seed, loss)
        n_wrong += check_correct(one, name, root, loss, 1 if n < 3 else 7 * n - 17)
    assert n_wrong > 0 or n == 1
