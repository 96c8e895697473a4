"""Effects of the repairs of a non-monotonic parse (Honnibal & Johnson 2015)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from dodona.core.transitions.action import Action
from dodona.core.transitions.system import State

OVERWRITTEN = "LEFT-ARC over a head"
PUT_BACK = "UNSHIFT"
LATE = "REDUCE with a new head"
REPAIRS = (OVERWRITTEN, PUT_BACK, LATE)

HELPED, HURT, NEITHER = "helped", "hurt", "neither"
Step = tuple[State, Action | None]


def count_repairs(steps: Sequence[Step], heads: Sequence[int | None]) -> Counter[tuple[str, str]]:
    """Count the repairs of a parse by kind and by effect on the head of the repaired word.

    A repair helped if the head was wrong or missing and is right in the end; it hurt if the head
    was right and is wrong in the end. `steps` come from `Parser.trace`, `heads` are gold.
    """
    final = steps[-1][0]
    counts: Counter[tuple[str, str]] = Counter()
    for before, kind, word in _find_repairs(steps):
        was_right = before.heads[word - 1] is not None and before.heads[word - 1] == heads[word - 1]
        # the word that is left in the end is the root, and has no head in the state
        is_right = (final.heads[word - 1] or 0) == heads[word - 1]
        effect = NEITHER if was_right == is_right else HELPED if is_right else HURT
        counts[kind, effect] += 1
    return counts


def _find_repairs(steps: Sequence[Step]) -> Iterable[tuple[State, str, int]]:
    """Yield the state before each repair, its kind, and the repaired word."""
    for (before, action), (after, _) in pairwise(steps):
        word = before.stack[-1] if before.stack else 0
        if action is None or not word:
            continue
        was_headless = before.heads[word - 1] is None
        if action.move == "LEFT-ARC" and not was_headless:
            yield before, OVERWRITTEN, word
        elif action.move == "UNSHIFT":
            yield before, PUT_BACK, word
        elif action.move == "REDUCE" and was_headless and after.heads[word - 1] is not None:
            yield before, LATE, word
