"""The best that can still happen, repairs counted, by exhaustive search."""

from __future__ import annotations

from reference.nonmonotonic import NonMonotonic, State
from reference.search import Action, Definition


class BestEnd:
    """(errors, repairs) of the best derivation from a state on: fewest errors, then repairs."""

    def __init__(self, definition: Definition[State], twin: NonMonotonic) -> None:
        self.definition, self.twin = definition, twin
        self._known: dict[State, tuple[int, int]] = {}

    def of(self, state: State) -> tuple[int, int]:
        if state not in self._known:
            self._known[state] = min(
                self.after_actions(state).values(), default=(self.definition.min_loss(state), 0)
            )
        return self._known[state]

    def after_actions(self, state: State) -> dict[Action, tuple[int, int]]:
        result = {}
        for action, after in self.definition.space.successors(state).items():
            errors, repairs = self.of(after)
            result[action] = errors, repairs + self.twin.is_repair(state, action)
        return result
