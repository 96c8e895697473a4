"""Shortest derivations by exhaustive search, with the reference implementations of the systems."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

import dodona
from dodona.core.transitions.action import Action
from dodona.core.transitions.gold import Gold
from dodona.explorer.cost_explanation import explain
from dodona.explorer.explore import Explorer, read_path
from dodona.explorer.fewest_swaps import best_end
from dodona.explorer.ratings import rate
from dodona.explorer.reachable import reach
from dodona.explorer.typed import read_typed
from reference.arc_eager import State
from reference.search import labelled
from reference.swap import Swap
from reference.trees import all_trees

PRIEST = (
    "A 2 det\npriest 3 nsubj\narrived 0 root\nyesterday 3 advmod\n"
    "who 6 nsubj\nlistened 2 acl:relcl\nto 8 case\noaks 6 obl\n. 3 punct"
)
WAITING = "SHIFT SHIFT LEFT-ARC:det SHIFT SHIFT RIGHT-ARC:advmod SHIFT SHIFT LEFT-ARC:nsubj SHIFT"
WAITING += " SHIFT LEFT-ARC:case RIGHT-ARC:obl"


class Exhaustive:
    """The smallest loss and the fewest actions to it, over all derivations from a state."""

    def __init__(self, heads: tuple[int, ...]) -> None:
        self.twin = Swap(["dep"])
        self.gold = frozenset((head, "dep", word) for word, head in enumerate(heads, start=1))
        self.best = cache(self._best)

    def _best(self, state: State) -> tuple[int, int]:
        if self.twin.is_final(state):
            return labelled(self.twin.arcs(state), self.gold), 0
        ends = [self.best(self.twin.step(state, action)) for action in self.twin.valid(state)]
        return min((loss, n_actions + 1) for loss, n_actions in ends)


def check_states(heads: tuple[int, ...], n_states: int, random: Random) -> None:
    """Compare random states of a tree with exhaustive search."""
    system = dodona.system("swap", labels=["dep"], root_label="dep")
    gold = Gold(heads=list(heads), labels=["dep"] * len(heads))
    slow = Exhaustive(heads)
    slow.best(slow.twin.start(len(heads)))
    for _ in range(n_states):
        twin, state = slow.twin.start(len(heads)), system.start(len(heads))
        for _ in range(random.randint(0, 3 * len(heads))):
            if slow.twin.is_final(twin):
                break
            action = random.choice(slow.twin.valid(twin))
            twin, state = slow.twin.step(twin, action), system.step(state, Action(*action))
        found = reach(system, state, gold)
        loss, n_actions = slow.best(twin)
        assert (found.loss, len(found.actions)) == (loss, n_actions)
        assert found.is_best and found.is_shortest
        if slow.twin.is_final(twin):
            continue
        for action, rating in rate(system, state, gold).items():
            other, n_others = slow.best(slow.twin.step(twin, action))
            assert (rating.cost, rating.is_estimate) == (other - loss, False)
            wasted = n_others + 1 - n_actions
            assert rating.n_wasted == (None if rating.cost else wasted)
            assert rating.optimal == (not rating.cost and not wasted)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_derivations_are_the_shortest_of_all(n: int) -> None:
    random = Random(n)
    for heads in all_trees(n):
        check_states(heads, 6, random)


@pytest.mark.thorough
@pytest.mark.parametrize("n", [4, 5])
def test_derivations_of_longer_sentences_are_the_shortest_of_all(n: int) -> None:
    random = Random(n)
    trees = list(all_trees(n))
    for heads in random.sample(trees, 60 if n == 4 else 12):
        check_states(heads, 25, random)


def test_words_that_help_to_swap_others_are_not_attached_too_early() -> None:
    found = best_end((0, 1, 1, 2), (0, 1, 3, 2, 4), ())  # 4 carries 2 and 3 back to the buffer
    assert found is not None and found[:2] == (0, 4) and found.is_shortest


def test_the_lesson_plays_one_swap_and_twenty_actions() -> None:
    explorer = Explorer(read_typed(PRIEST)[0], "swap")
    path = explorer.derivation("best")
    assert len(path) == 20 and [action.move for action in path].count("SWAP") == 1
    assert path == explorer.derivation("minimal")


def test_the_shift_that_undoes_a_swap_is_wasteful_and_says_what_it_needs() -> None:
    explorer = Explorer(read_typed(PRIEST)[0], "swap")
    state, _ = explorer.follow(read_path(f"{WAITING} SWAP"))
    [shift, attach] = read_path("SHIFT RIGHT-ARC:acl:relcl")
    choices = explorer.choices(state)
    assert choices[attach].optimal and choices[attach].n_wasted == 0
    assert choices[shift].cost == 0 and not choices[shift].optimal
    why = explain(explorer, state, shift)
    assert why.n_wasted == choices[shift].n_wasted == 2 * len(why.repairs) > 0
    assert {repair.action.move for repair in why.repairs} == {"SWAP"}


def test_a_long_sentence_is_searched_within_limits_and_claims_nothing_more() -> None:
    heads = [0, *(max(1, word - 3) for word in range(2, 41))]  # every arc crosses two others
    lines = [f"w{word} {head} dep" for word, head in enumerate(heads, start=1)]
    explorer = Explorer(read_typed("\n".join(lines))[0], "swap")
    view = explorer.view(explorer.start())
    assert view.reach is not None and view.reach.loss == 0
    assert not view.reach.is_shortest
    assert all(choice.n_wasted is None for choice in view.choices)
