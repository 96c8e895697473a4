"""The walk of an oracle through a sentence, as plain data: what to draw is up to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dodona.core.gold import Gold
    from dodona.core.system import State, System


@dataclass(frozen=True)
class Choice:
    """A valid action and what it costs."""

    move: str
    label: str | None
    cost: int


@dataclass(frozen=True)
class Step:
    """One state, all that could be done in it, and what the oracle does (None: it is final)."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[tuple[int, str, int], ...]  # (head, label, dependent), by dependent
    choices: tuple[Choice, ...]
    taken: Choice | None


def walk(system: System, gold: Gold, oracle: str = "static") -> list[Step]:
    """Every state on the oracle's way from the start to the gold tree.

    >>> from dodona import Gold, system
    >>> gold = Gold(heads=[2, 0], labels=["nsubj", "root"])
    >>> steps = walk(system("arc-eager", labels=["nsubj", "root"]), gold)
    >>> [step.taken.move for step in steps[:-1]], steps[-1].arcs
    (['SHIFT', 'LEFT-ARC', 'RIGHT-ARC'], ((2, 'nsubj', 1), (0, 'root', 2)))
    """
    state = system.start(len(gold))
    steps = []
    for action in system.derivation(gold, oracle):
        costs = system.costs(state, gold)
        choices = tuple(Choice(option.move, option.label, cost) for option, cost in costs.items())
        steps.append(_step(state, choices, Choice(action.move, action.label, costs[action])))
        state = system.step(state, action)
    return [*steps, _step(state, (), None)]


def _step(state: State, choices: tuple[Choice, ...], taken: Choice | None) -> Step:
    arcs = tuple(sorted(state.arcs, key=lambda arc: arc[2]))
    return Step(state.stack, state.buffer, arcs, choices, taken)
