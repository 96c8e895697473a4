"""Reference implementations of the non-monotonic systems (Honnibal & Johnson 2015, corrected).

No artificial root: a derivation ends with one word on the stack, the root, and an empty buffer.
"""

from collections.abc import Sequence
from typing import NamedTuple

from reference.search import Action, Arc
from reference.twins import twin

SHIFT, REDUCE, UNSHIFT = Action("SHIFT", None), Action("REDUCE", None), Action("UNSHIFT", None)


class State(NamedTuple):
    """Stack from bottom to top, buffer from front to back, arcs so far, and notes."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: frozenset[Arc]
    notes: tuple[int, ...]

    def has_head(self, word: int) -> bool:
        return any(dependent == word for _, _, dependent in self.arcs)

    def noted(self, word: int) -> tuple[int, ...]:
        return (*self.notes[:word], 1, *self.notes[word + 1 :])


def without_head(arcs: frozenset[Arc], word: int) -> frozenset[Arc]:
    return frozenset(arc for arc in arcs if arc[2] != word)


@twin("nonmonotonic", one_root=True)
class NonMonotonic:
    """Honnibal & Johnson (2015); a word is noted when it is shifted."""

    def __init__(self, labels: Sequence[str], root: str = "none") -> None:
        assert root == "none"
        self.labels = labels

    def arc_actions(self, move: str) -> list[Action]:
        return [Action(move, label) for label in self.labels]

    def start(self, n: int) -> State:
        return State((), tuple(range(1, n + 1)), frozenset(), (0,) * (n + 1))

    def is_final(self, state: State) -> bool:
        return len(state.stack) == 1 and not state.buffer

    def may_shift(self, state: State) -> bool:
        return not state.stack or not state.notes[state.buffer[0]]

    def valid(self, state: State) -> list[Action]:
        actions = []
        if state.buffer and self.may_shift(state):
            actions += [SHIFT]
        if state.stack and state.buffer:
            actions += self.arc_actions("LEFT-ARC") + self.arc_actions("RIGHT-ARC")
        if state.stack and state.has_head(state.stack[-1]):
            actions += [REDUCE]
        elif len(state.stack) >= 2:
            actions += [UNSHIFT]
        return actions

    def step(self, state: State, action: Action) -> State:
        stack, buffer, arcs, notes = state
        move, label = action
        if move == "SHIFT":
            return State((*stack, buffer[0]), buffer[1:], arcs, state.noted(buffer[0]))
        if move == "REDUCE":
            return State(stack[:-1], buffer, arcs, notes)
        if move == "UNSHIFT":
            return State(stack[:-1], (stack[-1], *buffer), arcs, notes)
        assert label is not None
        if move == "LEFT-ARC":
            kept = without_head(arcs, stack[-1])
            return State(stack[:-1], buffer, kept | {(buffer[0], label, stack[-1])}, notes)
        assert move == "RIGHT-ARC"
        arcs |= {(stack[-1], label, buffer[0])}
        return State((*stack, buffer[0]), buffer[1:], arcs, notes)

    def arcs(self, state: State) -> frozenset[Arc]:
        return state.arcs | {(0, "root", state.stack[0])}

    def is_repair(self, state: State, action: Action) -> bool:
        """Whether an action is non-monotonic: it overwrites a head, puts back or attaches late."""
        has_head = bool(state.stack) and state.has_head(state.stack[-1])
        if action.move == "LEFT-ARC":
            return has_head
        return action == UNSHIFT or (action == REDUCE and not has_head)


@twin("nonmonotonic-2013", one_root=True)
class NonMonotonic2013(NonMonotonic):
    """Honnibal, Goldberg & Johnson (2013); without a model, REDUCE gives the first label."""

    def valid(self, state: State) -> list[Action]:
        actions = []
        if state.buffer:
            actions += [SHIFT]
            if state.stack:
                actions += self.arc_actions("LEFT-ARC") + self.arc_actions("RIGHT-ARC")
        if len(state.stack) >= 2:
            actions += [REDUCE]
        return actions

    def step(self, state: State, action: Action) -> State:
        stack, buffer, arcs, notes = state
        if action == SHIFT:
            return State((*stack, buffer[0]), buffer[1:], arcs, notes)
        if action == REDUCE and not state.has_head(stack[-1]):
            arcs |= {(stack[-2], self.labels[0], stack[-1])}
            return State(stack[:-1], buffer, arcs, notes)
        return super().step(state, action)


@twin("arc-eager-tree", one_root=True)
class ArcEagerTree(NonMonotonic):
    """Nivre & Fernández-González (2014); 0 is noted once the buffer has been empty."""

    def may_shift(self, state: State) -> bool:
        return not state.stack or not state.notes[0]

    def valid(self, state: State) -> list[Action]:
        actions = super().valid(state)
        if state.stack and state.has_head(state.stack[-1]):
            actions = [action for action in actions if action.move != "LEFT-ARC"]
        if state.buffer and UNSHIFT in actions:
            actions.remove(UNSHIFT)
        return actions

    def step(self, state: State, action: Action) -> State:
        after = super().step(state, action)._replace(notes=state.notes)
        return after if after.buffer else after._replace(notes=after.noted(0))
