"""Explanations of costs, and arcs that were never reachable."""

from __future__ import annotations

import re

import pytest

from dodona.explorer.cost_explanation import explain
from dodona.explorer.explore import Explorer, read_path
from dodona.explorer.reachable import reach
from dodona.explorer.state_drawing import MAX_FRAMES, draw_animation, draw_slide
from dodona.explorer.typed import read_typed
from support.small import treebank

LETTER = "He 2 SBJ\nwrote 0 PRD\nher 2 IOBJ\na 5 DET\nletter 2 DOBJ\n. 2 P"
PRIEST = (
    "A 2 det\npriest 3 nsubj\narrived 0 root\nyesterday 3 advmod\n"
    "who 6 nsubj\nlistened 2 acl:relcl\nto 8 case\noaks 6 obl"
)
EXACT = ["arc-eager", "arc-standard", "arc-hybrid", "nonmonotonic", "graph-eager"]


def explorer_of(text: str, system: str = "arc-eager", **options: str) -> Explorer:
    return Explorer(read_typed(text)[0], system, **options)


@pytest.mark.thorough
@pytest.mark.parametrize("system", EXACT)
def test_the_arcs_that_are_named_make_up_the_cost(system: str) -> None:
    for sentence in treebank(4, 3, 0.0):
        explorer = Explorer(sentence, system)
        state = explorer.start()
        while not explorer.system.is_final(state):
            choices = explorer.choices(state)
            for action, choice in list(choices.items())[:: max(1, len(choices) // 8)]:
                why = explain(explorer, state, action)
                assert not why.is_estimate and why.cost == choice.cost
                n_lost = len(why.loses) - len(why.instead) + len(why.wrong)
                assert n_lost == why.cost
                assert why.is_optimal == choice.optimal
            state = explorer.step(state, explorer.system.optimal(state, explorer.gold)[0])


def test_a_wrong_label_is_told_from_a_lost_arc() -> None:
    explorer = explorer_of(LETTER, root="first")
    state, _ = explorer.follow(read_path("SHIFT LEFT-ARC:SBJ RIGHT-ARC:PRD"))
    [wrong_label] = read_path("RIGHT-ARC:DOBJ")
    why = explain(explorer, state, wrong_label)
    assert why.cost == 1 and why.mislabelled == why.loses == {(2, "IOBJ", 3)}


def test_an_action_of_cost_0_that_needs_a_repair_is_marked() -> None:
    explorer = explorer_of(LETTER, "nonmonotonic")
    state, _ = explorer.follow(read_path("SHIFT LEFT-ARC:SBJ SHIFT"))
    [shift] = read_path("SHIFT")
    why = explain(explorer, state, shift)
    assert (why.cost, why.is_optimal) == (0, False)
    assert [repair.action.move for repair in why.repairs] == ["UNSHIFT"]


def test_an_arc_that_is_overwritten_later_is_a_repair() -> None:
    explorer = explorer_of("the 3 det\nold 3 amod\nman 0 root", "nonmonotonic")
    state, _ = explorer.follow(read_path("SHIFT"))
    [right] = read_path("RIGHT-ARC:amod")
    [repair] = explain(explorer, state, right).repairs
    assert (str(repair.action), repair.words) == ("LEFT-ARC:amod", (2,))


def test_crossing_arcs_count_as_never_reachable_and_not_as_lost() -> None:
    explorer = explorer_of(PRIEST)
    start = explorer.view(explorer.start())
    assert set(start.never) == start.reach.lost == {(2, "acl:relcl", 6)}
    state = explorer.start()
    while not explorer.system.is_final(state):
        state = explorer.step(state, explorer.system.optimal(state, explorer.gold)[0])
        view = explorer.view(state)
        assert len(view.never) == 1 and view.reach.lost == set(view.never)
    swap = explorer_of(PRIEST, "swap")
    assert not swap.view(swap.start()).never


@pytest.mark.parametrize("system", ["arc-eager", "arc-hybrid", "nonmonotonic"])
def test_lost_arcs_account_for_the_costs(system: str) -> None:
    for sentence in treebank(6, 4, 0.0):
        explorer = Explorer(sentence, system)
        state, spent = explorer.start(), 0
        for number in range(400):
            if explorer.system.is_final(state):
                break
            view = explorer.view(state)
            assert not view.never and len(view.reach.lost) == spent
            choices = list(explorer.choices(state).values())
            choice = choices[number * 7 % len(choices)]
            spent += choice.cost
            state = explorer.step(state, choice.action)


def test_a_path_is_followed_up_to_what_is_not_valid() -> None:
    explorer = explorer_of(LETTER)
    _, taken, stopped = explorer.follow_valid(read_path("SHIFT REDUCE SHIFT"))
    assert len(taken) == 1 and "action 2: REDUCE is not valid" in str(stopped)


def test_without_a_gold_tree_valid_actions_are_played_to_the_end() -> None:
    for name in ("arc-eager", "arc-standard", "nonmonotonic", "swap", "graph-eager"):
        explorer = explorer_of("Ask the old oak", name)
        state, _ = explorer.follow(explorer.derivation("any"))
        assert explorer.system.is_final(state)


def test_an_animation_has_a_frame_per_state_and_isolates_right_to_left_words() -> None:
    explorer = explorer_of(LETTER, root="first")
    path = explorer.derivation("static")
    film = draw_animation(explorer, path)
    assert film.count('class="frame"') == film.count("@keyframes") == len(path) + 1
    assert "prefers-color-scheme" not in film and "prefers-reduced-motion" in film
    slide = draw_slide(explorer, path[:2])
    assert "2. LEFT-ARC:SBJ, cost 0" in slide and "@keyframes" not in slide
    assert "buffer: wrote  her" in slide
    arabic = draw_slide(explorer_of("كتب 0 root\nدرس 1 obj"), [])
    assert re.search("\u2068كتب\u2069  \u2068درس\u2069", arabic)
    with pytest.raises(ValueError, match="an animation of"):
        draw_animation(explorer, read_path(["SHIFT"] * MAX_FRAMES))


def test_losses_before_and_after_differ_by_the_cost() -> None:
    explorer = explorer_of(LETTER, root="first")
    before = reach(explorer.system, explorer.start(), explorer.gold)
    [shift] = read_path("RIGHT-ARC:PRD")
    why = explain(explorer, explorer.start(), shift)
    assert why.reach.loss == before.loss + why.cost
