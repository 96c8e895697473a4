"""States of the core beside those of its slow twins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import dodona
from reference.arc_eager import State
from reference.search import Action, Space

ONE, TWO = ("root",), ("root", "obj")


def plain(actions: Iterable[dodona.Action]) -> list[Action]:
    return [Action(action.move, action.label) for action in actions]


def as_core(action: Action) -> dodona.Action:
    return dodona.Action(action.move, action.label)


def show(state: dodona.State) -> State:
    """The three things that make a state; its heads and labels must tell the same arcs."""
    n = len(state.heads)
    by_word = zip(state.heads, state.labels, range(1, n + 1), strict=True)
    assert state.arcs == {arc for arc in by_word if arc[:2] != (None, None)}
    return State(state.stack, state.buffer, state.arcs)


def core_states(
    system: dodona.System, twin: Space[State], n: int
) -> Iterator[tuple[State, dodona.State]]:
    """Every reachable state of the twin with the core's state of the same derivation."""
    cores = {twin.system.start(n): system.start(n)}
    for state in twin.reachable(n):
        yield state, cores[state]
        for action, after in twin.successors(state).items():
            if after not in cores:
                cores[after] = system.step(cores[state], as_core(action))
