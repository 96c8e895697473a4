"""Reference implementation of arc-hybrid (Kuhlmann et al. 2011).

A word is attached to the front of the buffer (LEFT-ARC) or to the word below it on the stack
(RIGHT-ARC). The artificial root 0 is first or last, and alone remains in the final state.
"""

from collections.abc import Sequence

from reference.arc_eager import SHIFT, State
from reference.search import Action, Arc
from reference.twins import twin


@twin("arc-hybrid")
class ArcHybrid:
    """The transition system; `root` is "first" or "last"."""

    def __init__(self, labels: Sequence[str], root: str = "first") -> None:
        self.labels = labels
        self.root = root

    def start(self, n: int) -> State:
        words = tuple(range(1, n + 1))
        if self.root == "first":
            return State((0,), words, frozenset())
        return State((), (*words, 0), frozenset())

    def is_final(self, state: State) -> bool:
        return state.stack + state.buffer == (0,)

    def valid(self, state: State) -> list[Action]:
        stack, buffer, _ = state
        actions = [SHIFT] if buffer and buffer[0] != 0 else []
        if stack and stack[-1] != 0 and buffer:
            actions += [Action("LEFT-ARC", label) for label in self.labels]
        if len(stack) >= 2:
            actions += [Action("RIGHT-ARC", label) for label in self.labels]
        return actions

    def step(self, state: State, action: Action) -> State:
        stack, buffer, arcs = state
        move, label = action
        if move == "SHIFT":
            return State((*stack, buffer[0]), buffer[1:], arcs)
        assert label is not None
        if move == "LEFT-ARC":
            return State(stack[:-1], buffer, arcs | {(buffer[0], label, stack[-1])})
        if move == "RIGHT-ARC":
            return State(stack[:-1], buffer, arcs | {(stack[-2], label, stack[-1])})
        raise ValueError(f"arc-hybrid has no move {move}")

    def arcs(self, state: State) -> frozenset[Arc]:
        return state.arcs
