"""Actions: a move and, if it builds an arc, its label."""

from typing import NamedTuple


class Action(NamedTuple):
    """A move with its label.

    >>> Action("RIGHT-ARC", "obj")
    Action(move='RIGHT-ARC', label='obj')
    >>> print(Action("RIGHT-ARC", "obj"), Action("SHIFT"))
    RIGHT-ARC:obj SHIFT
    """

    move: str
    label: str | None = None

    def __str__(self) -> str:
        return self.move if self.label is None else f"{self.move}:{self.label}"
