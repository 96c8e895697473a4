"""Reference implementation of swap: arc-standard with online reordering (Nivre 2009).

SWAP moves the second topmost word back to the buffer if it precedes the topmost in the sentence, so
no pair is swapped twice, and the root is never swapped.
"""

from reference.arc_eager import State
from reference.arc_standard import ArcStandard
from reference.search import Action
from reference.twins import twin

SWAP = Action("SWAP", None)


@twin("swap", exact=False)
class Swap(ArcStandard):
    """The transition system; `root` is "first"."""

    def valid(self, state: State) -> list[Action]:
        actions = super().valid(state)
        if len(state.stack) >= 2 and 0 < state.stack[-2] < state.stack[-1]:
            actions.append(SWAP)
        return actions

    def step(self, state: State, action: Action) -> State:
        if action != SWAP:
            return super().step(state, action)
        *rest, lower, upper = state.stack
        return State((*rest, upper), (lower, *state.buffer), state.arcs)
