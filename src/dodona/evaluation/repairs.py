"""What the repairs of a non-monotonic parse were good for (Honnibal & Johnson 2015)."""

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


def repairs(steps: Sequence[Step], heads: Sequence[int | None]) -> Counter[tuple[str, str]]:
    """How often each repair was made in a parse, and with what effect on the word it concerns.

    It helped if the word's head was wrong, or missing, and is right in the end; it hurt if the head
    was right and is not in the end. `steps` are those of `Parser.trace`, `heads` the gold ones.
    """
    final = steps[-1][0]
    counts: Counter[tuple[str, str]] = Counter()
    for before, kind, word in _found(steps):
        was_right = before.heads[word - 1] is not None and before.heads[word - 1] == heads[word - 1]
        # the word that is left in the end is the root, and has no head of its own
        is_right = (final.heads[word - 1] or 0) == heads[word - 1]
        effect = NEITHER if was_right == is_right else HELPED if is_right else HURT
        counts[kind, effect] += 1
    return counts


def _found(steps: Sequence[Step]) -> Iterable[tuple[State, str, int]]:
    """The state before each repair, its kind, and the word that it concerns."""
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
