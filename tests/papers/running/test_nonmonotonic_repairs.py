"""Effects of the repairs in traces of non-monotonic parses."""

from __future__ import annotations

from collections import Counter

import pytest

import dodona
from dodona.core.transitions.registry import SYSTEMS
from dodona_papers.running.nonmonotonic_repairs import (
    HELPED,
    HURT,
    LATE,
    NEITHER,
    OVERWRITTEN,
    PUT_BACK,
    count_repairs,
)
from support.small import train, treebank

LABELS = ["dep", "root"]


def steps(
    system: str, n_words: int, *moves: str
) -> list[tuple[dodona.State, dodona.Action | None]]:
    """Return the states of these moves, in the form of `Parser.trace`."""
    machine = dodona.system(system, labels=LABELS)
    state, found = machine.start(n_words), []
    for move in moves:
        action = dodona.Action(move, "dep" if move.endswith("ARC") else None)
        found.append((state, action))
        state = machine.step(state, action)
    assert machine.is_final(state)
    return [*found, (state, None)]


OVERWRITE = ("nonmonotonic", 3, "SHIFT", "RIGHT-ARC", "LEFT-ARC", "LEFT-ARC", "SHIFT")
UNSHIFT = ("nonmonotonic", 2, "SHIFT", "SHIFT", "UNSHIFT", "RIGHT-ARC", "REDUCE")
LATE_HEAD = ("nonmonotonic-2013", 2, "SHIFT", "SHIFT", "REDUCE")


@pytest.mark.parametrize(
    ("walk", "gold", "expected"),
    [
        (OVERWRITE, [3, 3, 0], (OVERWRITTEN, HELPED)),  # 2 was under 1, and is under 3
        (OVERWRITE, [3, 1, 0], (OVERWRITTEN, HURT)),
        (OVERWRITE, [2, 0, 2], (OVERWRITTEN, NEITHER)),
        (UNSHIFT, [0, 1], (PUT_BACK, HELPED)),
        (UNSHIFT, [2, 0], (PUT_BACK, NEITHER)),
        (LATE_HEAD, [0, 1], (LATE, HELPED)),
        (LATE_HEAD, [2, 0], (LATE, NEITHER)),
    ],
)
def test_a_repair_is_judged_by_the_head_of_its_word(
    walk: tuple[str, int, str], gold: list[int], expected: tuple[str, str]
) -> None:
    assert count_repairs(steps(*walk), gold) == Counter({expected: 1})


def test_a_parse_without_repairs_has_none() -> None:
    walk = steps("nonmonotonic", 3, "SHIFT", "LEFT-ARC", "SHIFT", "RIGHT-ARC", "REDUCE")
    assert count_repairs(walk, [2, 0, 2]) == Counter()


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("system", list(SYSTEMS))
def test_a_trace_goes_step_by_step_to_the_tree(system: str, beam: int) -> None:
    parser = train(treebank(60, 1, 0), system=system, projectivise="none", beam=beam)
    for sentence in treebank(15, 5):
        *way, (last, nothing) = parser.trace(sentence)
        assert nothing is None and parser.system.is_final(last)
        assert way[0][0].buffer == parser.system.start(len(sentence)).buffer
        for (state, action), (after, _) in zip(way, [*way[1:], (last, None)], strict=True):
            taken = parser.system.step(state, action)
            assert (taken.stack, taken.buffer, taken.arcs) == (
                after.stack, after.buffer, after.arcs
            )  # fmt: skip
        parsed = parser.parse(sentence)
        for head, label, word in last.arcs:
            # completing a tree only adds heads, and moves words from under a second root
            assert head == 0 or (parsed.heads[word - 1], parsed.deprels[word - 1]) == (head, label)
