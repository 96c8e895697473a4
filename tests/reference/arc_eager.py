"""Reference implementation of arc-eager (Nivre 2003; Goldberg & Nivre 2012, figure 2).

The artificial root 0 is first (at the bottom of the stack), last (at the end of the buffer) or
absent; without it, a word left without a head counts as a dependent of the root.
"""

from collections.abc import Sequence
from typing import NamedTuple

from reference.search import Action, Arc
from reference.twins import twin

SHIFT = Action("SHIFT", None)
REDUCE = Action("REDUCE", None)


class State(NamedTuple):
    """Stack from bottom to top, buffer from front to back, arcs built so far."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: frozenset[Arc]

    def has_head(self, word: int) -> bool:
        return any(dependent == word for _, _, dependent in self.arcs)


@twin("arc-eager")
class ArcEager:
    """The transition system; `root` is "first", "last" or "none"."""

    def __init__(self, labels: Sequence[str], root: str = "first") -> None:
        self.labels = labels
        self.root = root

    def start(self, n: int) -> State:
        words = tuple(range(1, n + 1))
        if self.root == "first":
            return State((0,), words, frozenset())
        if self.root == "last":
            return State((), (*words, 0), frozenset())
        return State((), words, frozenset())

    def is_final(self, state: State) -> bool:
        return not state.buffer

    def valid(self, state: State) -> list[Action]:
        if self.is_final(state):
            return []
        actions = [SHIFT]
        if state.stack:
            s, b = state.stack[-1], state.buffer[0]
            if s != 0 and not state.has_head(s):
                actions += [Action("LEFT-ARC", label) for label in self.labels]
            if b != 0:
                actions += [Action("RIGHT-ARC", label) for label in self.labels]
            if state.has_head(s):
                actions += [REDUCE]
        return actions

    def step(self, state: State, action: Action) -> State:
        stack, buffer, arcs = state
        move, label = action
        if move == "SHIFT":
            return State((*stack, buffer[0]), buffer[1:], arcs)
        if move == "REDUCE":
            return State(stack[:-1], buffer, arcs)
        assert label is not None
        if move == "LEFT-ARC":
            return State(stack[:-1], buffer, arcs | {(buffer[0], label, stack[-1])})
        if move == "RIGHT-ARC":
            return State((*stack, buffer[0]), buffer[1:], arcs | {(stack[-1], label, buffer[0])})
        raise ValueError(f"arc-eager has no move {move}")

    def arcs(self, state: State) -> frozenset[Arc]:
        if self.root != "none":
            return state.arcs
        return state.arcs | {(0, "root", word) for word in state.stack if not state.has_head(word)}
