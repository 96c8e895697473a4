"""Reference implementation of arc-standard (Nivre 2004): arcs join the two topmost words.

The artificial root 0 is at the bottom of the stack, and alone remains in the final state.
"""

from collections.abc import Sequence

from reference.arc_eager import SHIFT, State
from reference.search import Action, Arc
from reference.twins import twin


@twin("arc-standard", counts_arcs=False)
class ArcStandard:
    """The transition system; `root` is "first"."""

    def __init__(self, labels: Sequence[str], root: str = "first") -> None:
        assert root == "first"
        self.labels = labels

    def start(self, n: int) -> State:
        return State((0,), tuple(range(1, n + 1)), frozenset())

    def is_final(self, state: State) -> bool:
        return state.stack == (0,) and not state.buffer

    def valid(self, state: State) -> list[Action]:
        actions = [SHIFT] if state.buffer else []
        if len(state.stack) >= 2:
            actions += [Action("RIGHT-ARC", label) for label in self.labels]
            if state.stack[-2] != 0:
                actions += [Action("LEFT-ARC", label) for label in self.labels]
        return actions

    def step(self, state: State, action: Action) -> State:
        stack, buffer, arcs = state
        move, label = action
        if move == "SHIFT":
            return State((*stack, buffer[0]), buffer[1:], arcs)
        assert label is not None
        *rest, lower, upper = stack
        if move == "LEFT-ARC":
            return State((*rest, upper), buffer, arcs | {(upper, label, lower)})
        if move == "RIGHT-ARC":
            return State((*rest, lower), buffer, arcs | {(lower, label, upper)})
        raise ValueError(f"arc-standard has no move {move}")

    def arcs(self, state: State) -> frozenset[Arc]:
        return state.arcs
