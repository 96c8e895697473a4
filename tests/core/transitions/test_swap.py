"""Swap: its states, its oracles on every tree, and the accuracy of its costs."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest

import dodona
from dodona.treebank.conllu.reader import read
from reference.search import LOSSES, Arc, Space
from reference.swap import Swap
from reference.trees import (
    Heads,
    all_trees,
    arcs_of,
    is_tree,
    random_projective_tree,
    random_tree,
)
from support.checked import compare
from support.states import ONE, TWO, as_core, core_states, plain, show
from support.treebanks import DATA

ORACLES = ("eager", "lazy", "minimal")


def swap(labels: tuple[str, ...] = ONE, loss: str = "labelled") -> dodona.System:
    return dodona.system("swap", labels=list(labels), loss=loss)


# --- the system


@pytest.mark.parametrize(
    ("n", "labels"), [(1, TWO), (2, TWO), (3, TWO), (4, ONE)], ids=["1", "2", "3", "4-one-label"]
)
def test_states_equal_the_twins(n: int, labels: tuple[str, ...]) -> None:
    system, twin = swap(labels), Space(Swap(labels))
    cores = dict(core_states(system, twin, n))
    for state, core in cores.items():
        assert show(core) == state
        assert system.is_final(core) == twin.system.is_final(state)
        assert sorted(plain(system.valid(core)), key=str) == sorted(twin.successors(state), key=str)
        for action, after in twin.successors(state).items():
            assert system.step(core, as_core(action)) == cores[after]


@pytest.mark.parametrize("seed", range(20))
def test_any_walk_ends_in_a_tree_and_swaps_no_pair_twice(seed: int) -> None:
    random, system = Random(seed), swap()
    n = random.randint(1, 20)
    state, n_steps, swapped = system.start(n), 0, []
    while not system.is_final(state):
        action = random.choice(system.valid(state))
        if action.move == "SWAP":
            swapped.append(frozenset(state.stack[-2:]))
        state = system.step(state, action)
        n_steps += 1
    assert len(set(swapped)) == len(swapped)
    assert n_steps == 2 * n + 2 * len(swapped)
    assert None not in state.heads and is_tree(tuple(head or 0 for head in state.heads))


def test_the_root_stands_first_and_is_never_swapped() -> None:
    with pytest.raises(ValueError, match="swap has its root first"):
        dodona.system("swap", labels=["dep"], root="last")
    system = swap()
    state = system.step(system.start(2), dodona.Action("SHIFT"))
    with pytest.raises(ValueError, match=r"SWAP is not valid .* neither the root"):
        system.step(state, dodona.Action("SWAP"))


# --- the oracles


def derive(heads: Heads, oracle: str) -> int:
    """Follow the oracle to the gold tree; return the number of swaps."""
    system, random = swap(TWO), Random(len(heads))
    labels = [random.choice(TWO) for _ in heads]
    state = system.start(len(heads))
    actions = system.derivation(dodona.Gold(heads=list(heads), labels=labels), oracle=oracle)
    for action in actions:
        state = system.step(state, action)
    assert system.is_final(state)
    assert state.arcs == arcs_of(heads, labels)
    n_swaps = sum(action.move == "SWAP" for action in actions)
    assert len(actions) == 2 * len(heads) + 2 * n_swaps
    return n_swaps


@pytest.mark.parametrize("n", range(1, 6))
def test_each_oracle_derives_every_tree_with_fewer_swaps_than_the_one_before(n: int) -> None:
    for heads in all_trees(n):
        eager, lazy, minimal = (derive(heads, oracle) for oracle in ORACLES)
        assert eager >= lazy >= minimal
        assert derive(heads, "static") == lazy


@pytest.mark.parametrize("n", range(6, 13))
def test_each_oracle_derives_longer_trees(n: int) -> None:
    random = Random(n)
    for _ in range(100):
        heads = random_tree(n, random)
        eager, lazy, minimal = (derive(heads, oracle) for oracle in ORACLES)
        assert eager >= lazy >= minimal


def test_lazy_and_minimal_swap_less_than_eager_on_all_trees_of_five_words() -> None:
    trees = list(all_trees(5))
    counts = {oracle: sum(derive(heads, oracle) for heads in trees) for oracle in ORACLES}
    assert counts == {"eager": 1918, "lazy": 1708, "minimal": 1665}


def test_an_unknown_oracle_is_named_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="swap has no 'hasty' oracle, only 'static', 'eager'"):
        swap().derivation(dodona.Gold(heads=[0], labels=["root"]), oracle="hasty")


# swaps on the train set: eager, lazy, and a bound for minimal (lazy that also waits for the largest
# subtree it can complete); counted by another program
SWAPS = {
    "el_gdt": (646, 211, 211),
    "en_ewt": (2113, 428, 386),
    "eu_bdt": (9895, 4878, 4406),
    "fr_sequoia": (323, 68, 68),
    "got_proiel": (4166, 1250, 1054),
    "hu_szeged": (1105, 354, 304),
    "ko_gsd": (2812, 951, 852),
    "nl_lassysmall": (38202, 17363, 12278),
    "sv_lines": (675, 226, 217),
    "ta_ttb": (21, 9, 9),
    "tr_imst": (722, 223, 221),
}


@pytest.mark.thorough
@pytest.mark.parametrize("treebank", SWAPS)
def test_swaps_on_treebanks_are_those_counted_independently(treebank: str) -> None:
    path = DATA / treebank / "train.conllu"
    if not path.exists():
        pytest.skip(f"no {treebank}/train.conllu: set DODONA_DATA to a folder of treebanks")
    system = dodona.system("swap", labels=["_"])
    counts = dict.fromkeys(ORACLES, 0)
    for sentence in read(path, trees="required"):
        gold = dodona.Gold(heads=sentence.heads)
        for oracle in ORACLES:
            actions = system.derivation(gold, oracle=oracle)
            counts[oracle] += sum(action.move == "SWAP" for action in actions)
    eager, lazy, bound = SWAPS[treebank]
    assert (counts["eager"], counts["lazy"]) == (eager, lazy)
    assert counts["minimal"] <= bound


# --- costs


@pytest.mark.parametrize("oracle", ["static", *ORACLES])
def test_the_derivation_of_every_tree_is_free_for_the_oracle_that_costs_follow(oracle: str) -> None:
    system = dodona.system("swap", labels=ONE, static_oracle=oracle)
    for heads in all_trees(4):
        gold = dodona.Gold(heads=list(heads), labels=["root"] * 4)
        state = system.start(4)
        derivation = system.derivation(gold)
        assert derivation == system.derivation(gold, "lazy" if oracle == "static" else oracle)
        for action in derivation:
            assert system.costs(state, gold)[action] == 0
            state = system.step(state, action)


def test_systems_that_follow_different_oracles_differ() -> None:
    lazy, eager = (dodona.system("swap", labels=ONE, static_oracle=o) for o in ("lazy", "eager"))
    assert lazy != eager
    assert pickle.loads(pickle.dumps(eager)) == eager
    gold = dodona.Gold(heads=[7, 0, 2, 2, 6, 4, 4, 2], labels=["root"] * 8)
    assert lazy.derivation(gold) != eager.derivation(gold)
    with pytest.raises(ValueError, match="arc-standard has no 'lazy' oracle, only 'static'"):
        dodona.system("arc-standard", labels=ONE, static_oracle="lazy")


def golds(n: int, labels: tuple[str, ...] = ONE, k: int = 0) -> list[frozenset[Arc]]:
    """Return all trees, or k of them."""
    random = Random(n)
    trees = list(all_trees(n)) if k == 0 else [random_tree(n, random) for _ in range(k)]
    return [arcs_of(heads, random.choices(labels, k=n)) for heads in trees]


@pytest.mark.thorough("4-labels", "5-labels")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("n", "labels", "k"), [(1, TWO, 0), (2, TWO, 0), (3, TWO, 0), (4, ONE, 40), (5, ONE, 4)]
)
def test_costs_equal_exhaustive_search_while_few_words_are_left(
    loss: str, n: int, labels: tuple[str, ...], k: int
) -> None:
    found = compare(swap(labels, loss), n, golds(n, labels, k))
    assert found.n_costs > 0 == found.n_wrong == found.n_stuck


@pytest.mark.thorough
def test_how_far_estimated_costs_are_from_exhaustive_search() -> None:
    """A fifth of the estimates differ: they ignore repairs by swaps outside the order."""
    system = dodona.system("swap", labels=ONE, exact_words=0)
    for n, expected in ((2, (48, 6, 2)), (3, (2_560, 459, 138)), (4, (249_125, 50_794, 15_311))):
        found = compare(system, n, golds(n))
        assert (found.n_costs, found.n_wrong, found.n_false_zeros) == expected


def test_costs_are_exact_from_where_few_words_are_left_on() -> None:
    """Costs near the end of a long sentence equal a search through all of it."""
    random = Random(5)
    few, more = (dodona.system("swap", labels=ONE, exact_words=k) for k in (4, 6))
    n_compared = 0
    for _ in range(60):
        gold = dodona.Gold(heads=random_tree(6, random), labels=["root"] * 6)
        state, twin = few.start(6), more.start(6)
        while not few.is_final(state):
            if len(state.stack) - 1 + len(state.buffer) <= 4:
                assert few.costs(state, gold) == more.costs(twin, gold)
                n_compared += 1
            action = random.choice(few.valid(state))
            state, twin = few.step(state, action), more.step(twin, action)
    assert n_compared > 100


@pytest.mark.parametrize("loss", LOSSES)
def test_exact_costs_lie_between_their_bounds(loss: str) -> None:
    random = Random(3)
    exact: Any = swap(TWO, loss)
    n_tight = n_all = 0
    for _ in range(120):
        n = random.randint(2, 6)
        gold = dodona.Gold(heads=random_tree(n, random), labels=random.choices(TWO, k=n))
        state = exact.start(n)
        while not exact.is_final(state):
            bounds, costs = exact.bounds(state, gold), exact.costs(state, gold)
            assert bounds.keys() == costs.keys()
            for action, (least, most) in bounds.items():
                assert 0 <= least <= costs[action] <= most
                n_tight += least == most
                n_all += 1
            state = exact.step(state, random.choice(exact.valid(state)))
    assert n_tight > 0.5 * n_all


def test_among_the_cheapest_the_static_oracle_decides_when_to_swap() -> None:
    system = swap()
    gold = dodona.Gold(heads=[0, 1, 2], labels=["root"] * 3)
    state = system.start(3)
    for _ in range(2):
        state = system.step(state, dodona.Action("SHIFT"))
    costs = system.costs(state, gold)
    assert costs[dodona.Action("SWAP")] == 0  # it can be swapped back in time …
    assert dodona.Action("SWAP") not in system.optimal(state, gold)  # … but why should it


@pytest.mark.parametrize(("n_words", "name"), [(8, "swap"), (-1, "swap"), (3, "arc-eager")])
def test_no_search_that_is_of_no_use(n_words: int, name: str) -> None:
    with pytest.raises(ValueError, match=r"exponential|does not find costs by search"):
        dodona.system(name, labels=ONE, exact_words=n_words)


def test_how_far_to_search_is_part_of_a_system() -> None:
    one, other = (dodona.system("swap", labels=ONE, exact_words=k) for k in (3, 5))
    assert one != other and pickle.loads(pickle.dumps(one)) == one
    assert pickle.loads(pickle.dumps(one)).exact_words == 3


@pytest.mark.parametrize("oracle", ORACLES)
def test_costs_without_swap_are_those_of_arc_standard_for_projective_trees(oracle: str) -> None:
    """SWAP is never free for projective trees; the other costs are arc-standard's."""
    system = dodona.system("swap", labels=ONE, static_oracle=oracle, exact_words=0)
    standard = dodona.system("arc-standard", labels=ONE)
    random = Random(7)
    for _ in range(300):
        n = random.randint(2, 9)
        gold = dodona.Gold(heads=random_projective_tree(n, random), labels=["root"] * n)
        state, twin = system.start(n), standard.start(n)
        while not standard.is_final(twin):
            costs = system.costs(state, gold)
            assert costs.pop(dodona.Action("SWAP"), 1) > 0
            assert costs == standard.costs(twin, gold)
            action = random.choice(standard.valid(twin))
            state, twin = system.step(state, action), standard.step(twin, action)


@pytest.mark.parametrize("seed", range(20))
def test_words_without_a_gold_head_cost_nothing(seed: int) -> None:
    """Some action is free in every state, and costs stay within the number of words."""
    random, system = Random(seed), swap()
    n = random.randint(2, 10)
    heads = [head if random.random() < 0.7 else None for head in random_tree(n, random)]
    gold = dodona.Gold(heads=heads, labels=["root"] * n)
    state = system.start(n)
    while not system.is_final(state):
        costs = system.costs(state, gold)
        assert min(costs.values()) == 0 <= max(costs.values()) <= n + 1
        state = system.step(state, random.choice([a for a in costs if costs[a] == 0]))
    lost = [i for i, head in enumerate(heads) if head not in (None, state.heads[i])]
    assert len(lost) <= heads.count(None)
