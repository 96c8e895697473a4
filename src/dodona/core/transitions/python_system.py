"""The base class of transition systems written in Python, outside the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dodona.core.transitions.gold import Gold
from dodona.core.transitions.python_bridge import Draft, PythonBridge
from dodona.core.transitions.registry import register
from dodona.core.transitions.system import JOINS, ROOTS, State

JOIN_TEMPLATES = {"front": "rich", "stack": "rich-stack", "hybrid": "rich-hybrid"}


class PythonSystem(PythonBridge):
    """A tree system in Python: slow, but with everything that compiled systems have.

    A subclass with a `name` is registered under it, for `dodona.system`, `dodona.train` and the
    explorer. It sets the attributes below and defines `final`, `valid_moves`, `take` and
    `move_costs`. Initially the words are in the buffer, and the artificial root 0 is at the bottom
    of the stack, behind the words, or nowhere, according to `root`.
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
        raise NotImplementedError(f"{self.name} does not define final")

    def valid_moves(self, state: State) -> Iterable[str]:
        """Return the moves whose preconditions hold, at least one in a state that is not final."""
        raise NotImplementedError(f"{self.name} does not define valid_moves")

    def take(self, state: Draft, move: str, label: str | None) -> None:
        """Apply a move to the state."""
        raise NotImplementedError(f"{self.name} does not define take")

    def move_costs(self, state: State, gold: Gold) -> Mapping[str, int]:
        """Return for each valid move the number of gold arcs that it puts out of reach.

        Labels are not considered here: a wrong label of a gold arc is counted separately.
        """
        raise NotImplementedError(f"{self.name} does not define move_costs")

    def static_move(self, state: State, gold: Gold) -> str:
        """Return the static oracle's move: by default the first valid move of the lowest cost."""
        costs = self.move_costs(state, gold)
        return min(self.valid_moves(state), key=lambda move: costs[move])


def _check(kind: type[PythonSystem]) -> None:
    """Raise ValueError for a class with inconsistent attributes."""
    if len(kind.moves) != len(kind.when):
        counts = f"{len(kind.moves)} moves, but `when` has {len(kind.when)} texts"
        raise ValueError(f"{kind.name}: {counts}")
    if unknown := set(kind.does) - set(kind.moves):
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{kind.name}: does describes {names}, which is not one of its moves")
    for name in ("leftward", "rightward"):
        arcs = getattr(kind, name)
        if not arcs or not set(arcs) <= set(kind.moves):
            expected = "a tuple of one or more of its moves"
            raise ValueError(f"{kind.name}: {name} is {expected}, not {arcs!r}")
    if kind.joins not in JOINS:
        raise ValueError(f"{kind.name}: joins is one of {', '.join(JOINS)}, not {kind.joins!r}")
    if not kind.roots or not set(kind.roots) <= set(ROOTS):
        raise ValueError(f"{kind.name}: roots are some of {', '.join(ROOTS)}, not {kind.roots!r}")
