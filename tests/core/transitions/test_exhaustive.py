"""The core against reference implementations: all states, actions and trees of short sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from reference.arc_eager import State
from reference.search import LOSSES, Action, Definition, Space
from reference.trees import (
    Heads,
    arcs_of,
    is_projective,
    is_tree,
    nonprojective_trees,
    projective_trees,
    random_projective_tree,
    random_tree,
)
from reference.twins import all_twins, exact_twins
from support.states import ONE, TWO, as_core, core_states, plain, show

TWINS = exact_twins(one_root=False)  # by name in the core, and root
SYSTEMS = pytest.mark.parametrize(("name", "root"), TWINS)


@cache
def space(name: str, root: str, labels: tuple[str, ...]) -> Space[State]:
    """Return the reference implementation's states, computed once for all gold trees."""
    return Space(TWINS[name, root].kind(labels, root))


def test_every_system_has_a_twin() -> None:
    assert all_twins().keys() == set(dodona.systems())


# --- states


@pytest.mark.parametrize(
    ("n", "labels"),
    [(1, TWO), (2, TWO), (3, TWO), (4, TWO), (5, ONE)],
    ids=["all-1", "all-2", "all-3", "all-4", "all-5-one-label"],
)
@SYSTEMS
def test_states_equal_the_twins(name: str, root: str, n: int, labels: tuple[str, ...]) -> None:
    """Compare contents, valid actions and finality; equal states are equal by any derivation."""
    system = dodona.system(name, labels=list(labels), root=root)
    twin = space(name, root, labels)
    cores = dict(core_states(system, twin, n))
    for state, core in cores.items():
        assert show(core) == state
        assert system.is_final(core) == twin.system.is_final(state)
        assert sorted(plain(system.valid(core)), key=str) == sorted(twin.successors(state), key=str)
        for action, after in twin.successors(state).items():
            stepped = system.step(core, as_core(action))
            assert stepped == cores[after] and hash(stepped) == hash(cores[after])


@pytest.mark.thorough
@SYSTEMS
def test_states_are_equal_to_no_other(name: str, root: str) -> None:
    system = dodona.system(name, labels=list(TWO), root=root)
    cores = [core for _, core in core_states(system, space(name, root, TWO), 3)]
    for i, core in enumerate(cores):
        assert [j for j, other in enumerate(cores) if other == core] == [i]


# --- costs


class Sample(NamedTuple):
    """Return gold trees of n words over `labels`."""

    n: int
    labels: tuple[str, ...]
    golds: list[tuple[Heads, tuple[str, ...]]]


def all_labellings(n: int) -> Sample:
    return Sample(n, TWO, list(product(projective_trees(n), product(TWO, repeat=n))))


def randomly_labelled(n: int, labels: tuple[str, ...], trees: Iterable[Heads]) -> Sample:
    random = Random(n)
    return Sample(n, labels, [(heads, tuple(random.choices(labels, k=n))) for heads in trees])


def random_projective(n: int, labels: tuple[str, ...], size: int) -> Sample:
    random = Random(n)
    trees = [random_projective_tree(n, random) for _ in range(size)]
    return randomly_labelled(n, labels, trees)


PROJECTIVE = {
    "all-1": all_labellings(1),
    "all-2": all_labellings(2),
    "all-3": all_labellings(3),
    "all-4": randomly_labelled(4, TWO, projective_trees(4)),
    "all-4-one-label": randomly_labelled(4, ONE, projective_trees(4)),
    "random-5": random_projective(5, TWO, 2),
    "random-6-one-label": random_projective(6, ONE, 4),
}
NONPROJECTIVE = {
    "all-3": randomly_labelled(3, TWO, nonprojective_trees(3)),
    "all-4": randomly_labelled(4, ONE, nonprojective_trees(4)),
    "some-5": randomly_labelled(5, ONE, list(nonprojective_trees(5))[::100]),
}


def compared_costs(
    name: str, root: str, loss: str, sample: Sample
) -> Iterator[tuple[dict[Action, int], dict[Action, int], str]]:
    """Yield (costs of the core, costs by definition, description) in every non-final state."""
    n, labels, golds = sample
    system = dodona.system(name, labels=list(labels), root=root, loss=loss)
    twin = space(name, root, labels)
    pairs = [pair for pair in core_states(system, twin, n) if not twin.system.is_final(pair[0])]
    for heads, gold_labels in golds:
        gold = dodona.Gold(heads=list(heads), labels=list(gold_labels))
        definition = Definition(twin, arcs_of(heads, gold_labels), LOSSES[loss])
        for state, core in pairs:
            costs = system.costs(core, gold)
            found = dict(zip(plain(costs), costs.values(), strict=True))
            yield found, definition.costs(state), f"{state}, gold {heads} {gold_labels}"


@pytest.mark.thorough("-4", "-5")
@pytest.mark.parametrize("sample", PROJECTIVE)
@pytest.mark.parametrize("loss", LOSSES)
@SYSTEMS
def test_costs_equal_exhaustive_search_for_every_reachable_state(
    name: str, root: str, loss: str, sample: str
) -> None:
    for found, expected, where in compared_costs(name, root, loss, PROJECTIVE[sample]):
        assert found == expected, where
        assert 0 in found.values(), where


@pytest.mark.thorough("-4", "-5")
@pytest.mark.parametrize("sample", NONPROJECTIVE)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("name", "root"), [key for key, twin in TWINS.items() if twin.counts_arcs]
)  # where costs are not counts of arcs, some action is always free
def test_costs_never_claim_a_false_zero_for_nonprojective_gold(
    name: str, root: str, loss: str, sample: str
) -> None:
    for found, expected, where in compared_costs(name, root, loss, NONPROJECTIVE[sample]):
        assert found.keys() == expected.keys(), where
        assert all(expected[action] == 0 for action in found if found[action] == 0), where


# --- the static oracle


def derive(name: str, root: str, heads: Heads, random: Random) -> None:
    """Check that the static oracle derives the gold tree at no cost."""
    labels = ["root" if head == 0 else random.choice(TWO) for head in heads]
    system = dodona.system(name, labels=list(TWO), root=root)
    gold = dodona.Gold(heads=list(heads), labels=labels)
    state = system.start(len(heads))
    for action in system.derivation(gold, oracle="static"):
        assert system.costs(state, gold)[action] == 0
        state = system.step(state, action)
    assert system.is_final(state)
    tree = system.finish(state)
    assert (list(tree.heads), list(tree.labels)) == (list(heads), labels)
    # `finish` must not have helped: only without a root is a word left for it to attach
    left = {arc for arc in arcs_of(heads, labels) if arc[0] == 0} if root == "none" else set()
    assert state.arcs == arcs_of(heads, labels) - left


@pytest.mark.parametrize("n", range(1, 6))
@SYSTEMS
def test_static_oracle_derives_every_projective_tree(name: str, root: str, n: int) -> None:
    for heads in projective_trees(n):
        derive(name, root, heads, Random(n))


@SYSTEMS
def test_static_oracle_derives_long_projective_trees(name: str, root: str) -> None:
    for n in range(6, 41):
        derive(name, root, random_projective_tree(n, Random(n)), Random(n))


@pytest.mark.parametrize("n", [3, 4, 40])
@SYSTEMS
def test_static_oracle_refuses_nonprojective_trees(name: str, root: str, n: int) -> None:
    system = dodona.system(name, labels=["dep"], root=root)
    trees = nonprojective_trees(n) if n < 5 else [random_tree(n, Random(n))]
    for heads in trees:
        with pytest.raises(ValueError, match="projective"):
            system.derivation(dodona.Gold(heads=list(heads), labels=["dep"] * n), oracle="static")


# --- random rollouts through longer sentences


class Rollout(NamedTuple):
    """The states of a derivation, or of its beginning, and the actions between them."""

    system: dodona.System
    twin: Any
    states: list[dodona.State]
    actions: list[dodona.Action]


@st.composite
def rollouts(draw: st.DrawFn, whole: bool = False, loss: str = "labelled") -> Rollout:
    """Draw a random derivation of up to 20 words, complete or, unless `whole`, a part of one."""
    (name, root), n = draw(st.sampled_from(list(TWINS))), draw(st.integers(1, 20))
    system = dodona.system(name, labels=list(TWO), root=root, loss=loss)
    states = [system.start(n)]
    actions: list[dodona.Action] = []
    length = 4 * n if whole else draw(st.integers(0, 4 * n))
    while len(actions) < length and not system.is_final(states[-1]):
        actions.append(draw(st.sampled_from(system.valid(states[-1]))))
        states.append(system.step(states[-1], actions[-1]))
    return Rollout(system, TWINS[name, root].kind(TWO, root), states, actions)


def random_gold(n: int, seed: int) -> tuple[Heads, list[str]]:
    random = Random(seed)
    heads = random_projective_tree(n, random)
    return heads, ["root" if head == 0 else random.choice(TWO) for head in heads]


seeds = st.integers(0, 2**32 - 1)


@given(rollouts())
def test_a_word_is_in_one_place(rollout: Rollout) -> None:
    """Every word is on the stack, in the buffer, or has been removed with a head."""
    state = rollout.states[-1]
    places = state.stack + state.buffer
    assert len(set(places)) == len(places)
    gone = set(range(1, len(state.heads) + 1)) - set(places)
    assert all(state.heads[word - 1] is not None for word in gone)


@given(rollouts())
def test_a_step_leaves_the_old_state_alone(rollout: Rollout) -> None:
    """Steps do not change earlier states: at the end all equal the reference's."""
    state = rollout.twin.start(len(rollout.states[0].heads))
    for core, action in zip(rollout.states, plain(rollout.actions), strict=False):
        assert show(core) == state
        state = rollout.twin.step(state, action)
    assert show(rollout.states[-1]) == state


@given(rollouts(), seeds)
def test_equal_states_behave_alike(rollout: Rollout, seed: int) -> None:
    """A repeated derivation gives an equal state; the states along it all differ."""
    system, n = rollout.system, len(rollout.states[0].heads)
    again = system.start(n)
    for action in rollout.actions:
        again = system.step(again, action)
    heads, labels = random_gold(n, seed)
    gold = dodona.Gold(heads=list(heads), labels=labels)
    assert again == rollout.states[-1] and hash(again) == hash(rollout.states[-1])
    assert system.valid(again) == system.valid(rollout.states[-1])
    assert system.costs(again, gold) == system.costs(rollout.states[-1], gold)
    assert len(set(rollout.states)) == len(rollout.states)


@given(rollouts(whole=True))
def test_a_derivation_ends_in_time(rollout: Rollout) -> None:
    """Each node of the initial buffer is pushed once, and popped at most once."""
    assert rollout.system.is_final(rollout.states[-1])
    start = rollout.states[0]
    assert len(rollout.actions) <= len(start.buffer) + len(start.heads)


@given(rollouts(whole=True))
def test_finish_gives_a_full_tree(rollout: Rollout) -> None:
    """Existing arcs stay; words without a head are attached to the root."""
    state = rollout.states[-1]
    tree = rollout.system.finish(state)
    heads = tuple(tree.heads)
    assert heads == tuple(head or 0 for head in state.heads)
    assert all(tree.labels)
    assert is_tree(heads) and is_projective(heads)


@pytest.mark.thorough
@pytest.mark.parametrize("loss", LOSSES)
@given(data=st.data(), seed=seeds)
def test_costs_along_a_derivation_add_up_to_its_loss(
    loss: str, data: st.DataObject, seed: int
) -> None:
    """Costs telescope, so this checks exactness in sentences too long to search."""
    rollout = data.draw(rollouts(whole=True, loss=loss))
    heads, labels = random_gold(len(rollout.states[0].heads), seed)
    gold = dodona.Gold(heads=list(heads), labels=labels)
    steps = zip(rollout.states, rollout.actions, strict=False)
    paid = sum(rollout.system.costs(state, gold)[action] for state, action in steps)
    assert paid == LOSSES[loss](rollout.twin.arcs(show(rollout.states[-1])), arcs_of(heads, labels))
