"""Graph systems against reference implementations, and properties of every graph."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona.core.transitions.registry import GRAPH_SYSTEMS
from reference.graph import (
    LOSSES,
    Links,
    State,
    arcs_of,
    cross,
    descendants,
    is_acyclic,
    is_headed,
    planar_graphs,
    random_planar_graph,
)
from reference.search import Action, Definition, Space
from reference.twins import all_twins

TWINS = {name: twin.kind for name, twin in all_twins().items() if name in GRAPH_SYSTEMS}
NAMES = pytest.mark.parametrize("name", TWINS)
CYCLES = pytest.mark.parametrize("acyclic", [False, True], ids=["cycles", "acyclic"])
ONE, TWO = ("root",), ("root", "obj")
Costs = dict[Action, int]


@cache
def space(name: str, acyclic: bool, labels: tuple[str, ...]) -> Space[State]:
    """Return the reference implementation's states, computed once for all gold graphs."""
    return Space(TWINS[name](labels, acyclic))


def core(
    name: str,
    acyclic: bool,
    labels: tuple[str, ...],
    loss: str,
    exact_words: int | None = None,
) -> dodona.System:
    return dodona.system(name, labels=labels, acyclic=acyclic, loss=loss, exact_words=exact_words)


def plain(actions: Iterable[dodona.Action]) -> list[Action]:
    return [Action(action.move, action.label) for action in actions]


def show(state: dodona.State) -> State:
    """Return the contents of a state; heads and labels must agree with its arcs."""
    by_word = zip(state.heads, state.labels, strict=True)
    assert state.arcs == {
        (head, label, word)
        for word, (heads, labels) in enumerate(by_word, 1)
        for head, label in zip(heads, labels, strict=True)
    }
    return State(state.stack, state.buffer, state.arcs)


def core_states(
    system: dodona.System, twin: Space[State], n: int
) -> Iterator[tuple[State, dodona.State]]:
    """Yield every reachable reference state with the core's state of the same derivation."""
    cores = {twin.system.start(n): system.start(n)}
    for state in twin.reachable(n):
        yield state, cores[state]
        for action, after in twin.successors(state).items():
            if after not in cores:
                cores[after] = system.step(cores[state], dodona.Action(*action))


# --- states


@pytest.mark.parametrize(("n", "labels"), [(1, TWO), (2, TWO), (3, ONE)])
@CYCLES
@NAMES
def test_states_equal_the_twins(name: str, acyclic: bool, n: int, labels: tuple[str, ...]) -> None:
    """Compare contents, valid actions and finality; states are equal if and only if these are."""
    system = core(name, acyclic, labels, "labelled")
    twin = space(name, acyclic, labels)
    cores = dict(core_states(system, twin, n))
    assert len(set(cores.values())) == len(cores)
    for state, found in cores.items():
        assert show(found) == state
        assert system.is_final(found) == twin.system.is_final(state)
        assert sorted(plain(system.valid(found)), key=str) == sorted(
            twin.successors(state), key=str
        )
        for action, after in twin.successors(state).items():
            stepped = system.step(found, dodona.Action(*action))
            assert stepped == cores[after] and hash(stepped) == hash(cores[after])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@CYCLES
@NAMES
def test_there_are_no_dead_ends(name: str, acyclic: bool, n: int) -> None:
    twin = space(name, acyclic, ONE)
    for state in twin.reachable(n):
        assert twin.system.is_final(state) != bool(twin.successors(state)), state


# --- costs


def compared_costs(
    name: str,
    acyclic: bool,
    loss: str,
    labels: tuple[str, ...],
    n: int,
    golds: Iterable[Links],
    exact_words: int | None = None,
) -> Iterator[tuple[Costs, Costs, bool, str]]:
    """Yield (core's costs, costs by definition, gold is reachable, description) if not final."""
    system = core(name, acyclic, labels, loss, exact_words)
    twin = space(name, acyclic, labels)
    pairs = [pair for pair in core_states(system, twin, n) if not twin.system.is_final(pair[0])]
    for links in golds:
        arcs = arcs_of(links, labels, Random(n))
        gold = dodona.Gold(arcs=arcs, n_words=n)
        definition = Definition(twin, arcs, LOSSES[loss])
        for state, found in pairs:
            costs = system.costs(found, gold)
            named = dict(zip(plain(costs), costs.values(), strict=True))
            reached = definition.min_loss(state) == 0
            yield named, definition.costs(state), reached, f"{state}, gold {sorted(arcs)}"


SAMPLES = {
    "all-1": (1, TWO, list(planar_graphs(1, both_ways=True))),
    "all-2": (2, TWO, list(planar_graphs(2, both_ways=True))),
    "all-3": (3, ONE, list(planar_graphs(3, both_ways=True))),
    "some-3-two-labels": (3, TWO, list(islice(planar_graphs(3), 0, None, 29))),
    "some-4": (4, ONE, list(islice(planar_graphs(4), 0, None, 997))),
}


@pytest.mark.thorough("-3", "-4")
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("loss", LOSSES)
def test_costs_of_graph_eager_equal_exhaustive_search_for_every_reachable_state(
    loss: str, sample: str
) -> None:
    n, labels, golds = SAMPLES[sample]
    for found, expected, _, where in compared_costs("graph-eager", False, loss, labels, n, golds):
        assert found == expected, where
        assert 0 in found.values(), where


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_free_actions_without_cycles_are_those_that_keep_gold_in_reach(loss: str, n: int) -> None:
    """Once the gold graph is unreachable, no action is falsely free."""
    golds = [links for links in planar_graphs(n) if is_acyclic(links) and is_headed(links, n)]
    args = ("graph-eager", True, loss, ONE, n, golds[:: 1 if n == 2 else 3])
    for found, expected, reached, where in compared_costs(*args):
        free = {action for action in expected if expected[action] == 0}
        found_free = {action for action in found if found[action] == 0}
        assert found.keys() == expected.keys(), where
        assert found_free == free if reached else found_free <= free, where


def test_costs_of_crossing_graphs_never_claim_a_false_zero() -> None:
    golds: list[Links] = [((0, 2), (1, 3)), ((0, 1), (0, 2), (3, 1)), ((2, 1), (0, 2), (1, 3))]
    for found, expected, _, where in compared_costs(
        "graph-eager", False, "labelled", ONE, 3, golds
    ):
        assert all(expected[action] == 0 for action in found if found[action] == 0), where


@pytest.mark.thorough("-3-", "-4-")
@pytest.mark.parametrize(
    ("n", "labels", "step"), [(1, TWO, 1), (2, TWO, 1), (3, ONE, 5), (3, TWO, 90), (4, ONE, 2_500)]
)
@pytest.mark.parametrize("loss", LOSSES)
@CYCLES
def test_costs_of_graph_standard_equal_exhaustive_search_while_few_words_are_left(
    acyclic: bool, loss: str, n: int, labels: tuple[str, ...], step: int
) -> None:
    golds = list(islice(planar_graphs(n, both_ways=True), 0, None, step))
    args = ("graph-standard", acyclic, loss, labels, n, golds)
    for found, expected, _, where in compared_costs(*args):
        assert found == expected, where
        assert 0 in found.values(), where


@CYCLES
def test_estimates_of_graph_standard_are_a_bound_while_gold_can_be_reached(acyclic: bool) -> None:
    """In all states most estimates are exact, and few are off by more than one."""
    golds = list(islice(planar_graphs(3), 0, None, 7))
    distances = []
    for found, expected, reached, where in compared_costs(
        "graph-standard", acyclic, "labelled", ONE, 3, golds, exact_words=0
    ):
        assert not reached or all(expected[action] >= found[action] for action in found), where
        distances += [abs(expected[action] - found[action]) for action in found]
    assert distances.count(0) > 0.6 * len(distances)
    assert distances.count(0) + distances.count(1) > 0.97 * len(distances)


# --- static oracles


def derive(name: str, acyclic: bool, links: Links, n: int) -> None:
    """Check that the static oracle derives the gold graph at no cost, in bounded steps."""
    system = core(name, acyclic, TWO, "labelled")
    gold = dodona.Gold(arcs=arcs_of(links, TWO, Random(n)), n_words=n)
    state = system.start(n)
    derivation = system.derivation(gold)
    for action in derivation:
        assert system.costs(state, gold)[action] == 0
        state = system.step(state, action)
    assert system.is_final(state) and state.arcs == gold.arcs
    assert len(derivation) <= (
        4 * n - 2 if is_acyclic(links) or name == "graph-eager" else 6 * n - 2
    )


@pytest.mark.thorough
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@NAMES
def test_static_oracles_derive_every_acyclic_graph_with_heads(name: str, n: int) -> None:
    for links in planar_graphs(n):
        if is_headed(links, n) and is_acyclic(links):
            derive(name, True, links, n)
            derive(name, False, links, n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_graph_eager_derives_every_planar_graph(n: int) -> None:
    for links in planar_graphs(n):
        derive("graph-eager", False, links, n)


@NAMES
def test_static_oracles_derive_long_graphs(name: str) -> None:
    for n in range(5, 14):
        derive(name, True, random_planar_graph(n, Random(n), acyclic=True), n)


@pytest.mark.parametrize("n", [1, 2, 3])
@CYCLES
def test_graph_standard_derives_whatever_it_can_reach(acyclic: bool, n: int) -> None:
    twin = space("graph-standard", acyclic, ONE)
    finals = [state for state in twin.reachable(n) if twin.system.is_final(state)]
    for arcs in {state.arcs for state in finals}:
        derive("graph-standard", acyclic, tuple((head, word) for head, _, word in arcs), n)


@pytest.mark.parametrize(
    ("name", "links", "why"),
    [
        ("graph-eager", ((0, 2), (1, 3), (2, 1)), "'root' from 0 to 2 is out of its reach"),
        ("graph-standard", ((0, 2), (1, 3), (2, 1)), "out of its reach"),
        ("graph-standard", ((0, 1),), "superfluous arc from 0 to 2 .has every word a head"),
    ],
)
def test_static_oracles_say_what_they_cannot_derive(name: str, links: Links, why: str) -> None:
    gold = dodona.Gold(arcs=arcs_of(links, ONE, Random(1)), n_words=3)
    with pytest.raises(ValueError, match=why):
        dodona.system(name, labels=ONE).derivation(gold)


# --- random rollouts


@st.composite
def rollouts(draw: st.DrawFn) -> list[dodona.State]:
    """Draw the states of a complete random derivation of up to 12 words."""
    name, acyclic = draw(st.sampled_from(list(TWINS))), draw(st.booleans())
    n = draw(st.integers(1, 12))
    system = core(name, acyclic, TWO, "labelled")
    states = [system.start(n)]
    while not system.is_final(states[-1]):
        assert len(states) <= (4 if name == "graph-eager" else 6) * n - 2
        action = draw(st.sampled_from(system.valid(states[-1])))
        states.append(system.step(states[-1], action))
    return states


def links_of(state: dodona.State) -> Links:
    return tuple((head, word) for head, _, word in state.arcs)


@given(rollouts())
def test_a_derivation_ends_in_a_graph_without_crossing_arcs(rollout: list[dodona.State]) -> None:
    links = links_of(rollout[-1])
    pairs = {frozenset(link) for link in links}
    assert len(pairs) == len(links) <= 2 * len(rollout[-1]) - 1
    assert not any(cross(one, other) for one in links for other in links)
    assert is_acyclic(links) or not rollout[0].system.acyclic  # type: ignore[attr-defined]


@given(rollouts())
def test_finish_makes_every_word_reachable_from_the_root(rollout: list[dodona.State]) -> None:
    """`finish` adds arcs from the root only, and none to complete graphs."""
    before = rollout[-1]
    after = before.system.finish(before)
    assert before.arcs <= after.arcs
    assert all((head, label) == (0, "root") for head, label, _ in after.arcs - before.arcs)
    assert descendants(links_of(after), 0) == set(range(len(after) + 1))
    assert before.system.finish(after) == after


@given(rollouts(), st.integers(0, 2**32 - 1))
def test_costs_of_graph_eager_along_a_derivation_add_up_to_its_loss(
    rollout: list[dodona.State], seed: int
) -> None:
    """Costs telescope, so this checks exactness in sentences too long to search."""
    system, n = rollout[0].system, len(rollout[0])
    if system.name != "graph-eager":
        return
    system = core(system.name, False, TWO, "graded")
    arcs = arcs_of(random_planar_graph(min(n, 7), Random(seed), acyclic=False), TWO, Random(seed))
    gold = dodona.Gold(arcs=arcs, n_words=n)
    state, paid = system.start(n), 0
    for after in rollout[1:]:
        action = next(a for a in system.valid(state) if show(system.step(state, a)) == show(after))
        paid += system.costs(state, gold)[action]
        state = system.step(state, action)
    assert paid == LOSSES["graded"](state.arcs, arcs)


@given(rollouts())
def test_a_state_survives_pickling(rollout: list[dodona.State]) -> None:
    back = pickle.loads(pickle.dumps(rollout[-1]))
    assert back == rollout[-1] and hash(back) == hash(rollout[-1])
    assert back.system.finish(back) == rollout[-1].system.finish(rollout[-1])


# --- the surface


def test_heads_and_labels_are_tuples_for_each_word() -> None:
    system = dodona.system("graph-eager", labels=["root", "obj", "ref"])
    gold = dodona.Gold(arcs=[(0, "root", 1), (1, "obj", 2), (0, "ref", 2)], n_words=3)
    state = system.start(3)
    assert state.heads == state.labels == ((), (), ())
    for action in system.derivation(gold):
        state = system.step(state, action)
    assert state.heads == ((0,), (0, 1), ())
    assert state.labels == (("root",), ("ref", "obj"), ())
    assert system.finish(state).heads == ((0,), (0, 1), (0,))
    assert "0-ref->2" in repr(state)


def test_a_gold_tree_is_a_gold_graph() -> None:
    heads, labels = [2, 0, 2], ["obj", "root", "obj"]
    for name in TWINS:
        system = dodona.system(name, labels=TWO)
        state = system.start(3)
        for action in system.derivation(dodona.Gold(heads=heads, labels=labels)):
            state = system.step(state, action)
        assert state.heads == ((2,), (0,), (2,))


def test_words_without_arcs_and_cycles_are_no_trees() -> None:
    assert dodona.Gold(arcs=[(0, "root", 1)], n_words=2).heads is None
    assert dodona.Gold(arcs=[(2, "obj", 1), (1, "obj", 2)]).heads is None
    assert dodona.Gold(arcs=[(0, "root", 1)], n_words=1).heads == (0,)


def test_a_cycle_is_no_gold_for_a_system_of_trees() -> None:
    gold = dodona.Gold(arcs=[(2, "obj", 1), (1, "obj", 2)])
    with pytest.raises(ValueError, match="cycle"):
        dodona.system("arc-eager", labels=TWO).derivation(gold)


def test_gold_of_a_graph_says_how_to_make_it() -> None:
    for arcs, n in ([(0, "root", 1), (2, "obj", 1)], 2), ([(0, "root", 1)], 3):
        gold = dodona.Gold(arcs=arcs, n_words=n)
        assert eval(repr(gold), {"Gold": dodona.Gold}) == gold == pickle.loads(pickle.dumps(gold))


@pytest.mark.parametrize(
    ("gold", "why"),
    [
        (dodona.Gold(arcs=[(0, "root", 1), (0, "obj", 1)], n_words=2), "two arcs from 0 to 1"),
        (dodona.Gold(arcs=[(0, "nsubj", 1)], n_words=2), "nsubj.*root, obj"),
        (dodona.Gold(arcs=[(0, "root", 1)], n_words=3), "3 words, the state 2"),
    ],
)
@NAMES
def test_gold_out_of_bounds_is_refused(name: str, gold: dodona.Gold, why: str) -> None:
    system = dodona.system(name, labels=TWO)
    with pytest.raises(ValueError, match=why):
        system.costs(system.start(2), gold)


@pytest.mark.parametrize("root", ["last", "none"])
@NAMES
def test_the_root_stands_first(name: str, root: str) -> None:
    with pytest.raises(ValueError, match=f"{name} has its root first.*root='{root}' is not"):
        dodona.system(name, labels=TWO, root=root)


def test_trees_have_no_cycles_to_forbid() -> None:
    with pytest.raises(ValueError, match=r"arc-eager builds trees.*graph-eager"):
        dodona.system("arc-eager", labels=TWO, acyclic=True)


@pytest.mark.parametrize(
    ("moves", "invalid", "why"),
    [
        (["RIGHT-ARC"], "RIGHT-ARC", "that no arc joins"),
        (["SHIFT", "LEFT-ARC"], "RIGHT-ARC", "that no arc joins"),
        (["SHIFT"], "REDUCE", "with a head"),
        ([], "LEFT-ARC", "not the root"),
    ],
)
def test_a_step_by_an_invalid_action_says_why(moves: list[str], invalid: str, why: str) -> None:
    system = dodona.system("graph-eager", labels=ONE, acyclic=True)
    actions = {action.move: action for state in walk_all(system) for action in system.valid(state)}
    state = system.start(2)
    for move in moves:
        state = system.step(state, actions[move])
    with pytest.raises(ValueError, match=why):
        system.step(state, actions[invalid])


def walk_all(system: dodona.System) -> list[dodona.State]:
    """Return every state of two words."""
    states = [system.start(2)]
    for state in states:
        after = [system.step(state, action) for action in system.valid(state)]
        states += [state for state in dict.fromkeys(after) if state not in states]
    return states


def test_systems_differ_by_their_settings() -> None:
    systems = [core(name, acyclic, ONE, loss) for name in TWINS for acyclic in (False, True)
               for loss in LOSSES]  # fmt: skip
    assert len(set(systems)) == len(systems)
    assert [pickle.loads(pickle.dumps(system)) for system in systems] == systems
    assert "acyclic=True" in repr(core("graph-eager", True, ONE, "labelled"))


@pytest.mark.parametrize("name", ["graph-eager", "graph-standard"])
def test_an_arc_without_a_gold_label_is_right_under_any(name: str) -> None:
    system = dodona.system(name, labels=TWO)
    gold = dodona.Gold(arcs=[(0, "root", 1), (1, None, 2), (0, "root", 2)])
    state = system.start(2)
    n_choices = 0
    for action in system.derivation(gold):
        costs = system.costs(state, gold)
        same_move = [cost for other, cost in costs.items() if other.move == action.move]
        n_choices += action.label is not None and set(same_move) == {0}
        state = system.step(state, action)
    assert n_choices >= 1 and {(head, word) for head, _, word in state.arcs} == {
        (head, word) for head, _, word in gold.arcs
    }


def test_a_system_of_graphs_follows_its_one_oracle() -> None:
    system = dodona.system("graph-eager", labels=TWO, static_oracle="static")
    assert pickle.loads(pickle.dumps(system)) == system
    with pytest.raises(ValueError, match="no 'lazy' oracle"):
        dodona.system("graph-eager", labels=TWO, static_oracle="lazy")
