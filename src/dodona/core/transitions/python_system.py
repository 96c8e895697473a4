"""The base class of transition systems that are written in Python, outside the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dodona.core.transitions.gold import Gold
from dodona.core.transitions.python_bridge import JOIN_TEMPLATES, JOINS, Draft, PythonBridge
from dodona.core.transitions.registry import register
from dodona.core.transitions.system import ROOTS, State


class PythonSystem(PythonBridge):
    """A system of trees in Python: slow, but with all that the others have.

    A subclass with a `name` is known by it from then on, to `dodona.system`, `dodona.train`, and
    the explorer. It says its moves as below, and defines `final`, `valid_moves`, `take` and
    `move_costs`. At the start the words are in the buffer, and the artificial root 0 is at the
    bottom of the stack, behind the words, or nowhere, as `root` says.
    """

    builds = "trees"
    exactness = "as its class counts them"
    moves: tuple[str, ...] = ()  # their names
    when: tuple[str, ...] = ()  # their preconditions, in words
    leftward: tuple[str, ...] = ()  # moves that build an arc to the left; they take a label …
    rightward: tuple[str, ...] = ()  # … and to the right

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in vars(cls):
            _check(cls)
            if "joins" in vars(cls) and "default_templates" not in vars(cls):
                cls.default_templates = JOIN_TEMPLATES[cls.joins]
            register(cls)

    def final(self, state: State) -> bool:
        """Whether no transition is left to take."""
        raise NotImplementedError(f"{self.name} does not say which states are final")

    def valid_moves(self, state: State) -> Iterable[str]:
        """The moves whose preconditions hold, at least one in a state that is not final."""
        raise NotImplementedError(f"{self.name} does not say which moves are valid")

    def take(self, state: Draft, move: str, label: str | None) -> None:
        """Change the state as the move does."""
        raise NotImplementedError(f"{self.name} does not say what {move} does")

    def move_costs(self, state: State, gold: Gold) -> Mapping[str, int]:
        """For each valid move, how many gold arcs are in reach before it, but not after it.

        Labels need no thought: a gold arc with another label is counted apart from this.
        """
        raise NotImplementedError(f"{self.name} does not say what moves cost")

    def static_move(self, state: State, gold: Gold) -> str:
        """The move of the static oracle: the cheapest or, of several, the first that is valid."""
        costs = self.move_costs(state, gold)
        return min(self.valid_moves(state), key=costs.__getitem__)


def _check(kind: type[PythonSystem]) -> None:
    """Refuse a class that does not fit together."""
    said = kind.name
    if len(kind.moves) != len(kind.when):
        raise ValueError(f"{said}: {len(kind.moves)} moves, but `when` has {len(kind.when)} texts")
    if unknown := set(kind.does) - set(kind.moves):
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{said}: does describes {names}, which is not one of its moves")
    for name in ("leftward", "rightward"):
        arcs = getattr(kind, name)
        if not arcs or not set(arcs) <= set(kind.moves):
            raise ValueError(f"{said}: {name} is a tuple of one or more of its moves, not {arcs!r}")
    if kind.joins not in JOINS:
        raise ValueError(f"{said}: joins is one of {', '.join(JOINS)}, not {kind.joins!r}")
    if not kind.roots or not set(kind.roots) <= set(ROOTS):
        raise ValueError(f"{said}: roots are some of {', '.join(ROOTS)}, not {kind.roots!r}")
