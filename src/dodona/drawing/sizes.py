"""What the words and arcs of a drawing need: widths, and the ports of the arcs' ends.

Each end of an arc has a *port* of its own at its word, and ports are ordered so that nested arcs
never meet: from left to right the arcs to the left, the nearest first, then the arc from the root,
then the arcs to the right, the nearest last.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dodona.drawing.look import USUAL, Look


class Arc(NamedTuple):
    """From a head to a dependent; words count from 1, head 0 is the artificial root.

    `kind` is for the eye: a class that a style sheet may know.
    """

    head: int
    label: str
    dependent: int
    kind: str = ""


class Sizes:
    """The widths of words and labels, and for every word the arcs that end there."""

    def __init__(
        self,
        widths: Sequence[float],
        arcs: Sequence[Arc],
        label_widths: Sequence[float],
        look: Look = USUAL,
    ) -> None:
        self.look = look
        self.spans = [(min(arc.head, arc.dependent), max(arc.head, arc.dependent)) for arc in arcs]
        self.is_root = [arc.head == 0 for arc in arcs]
        self.labels = label_widths
        self.needs = [width + look.label_room for width in label_widths]
        self.from_left: list[list[int]] = [[] for _ in range(len(widths) + 2)]
        self.to_right: list[list[int]] = [[] for _ in range(len(widths) + 2)]
        self.roots: list[list[int]] = [[] for _ in range(len(widths) + 2)]
        for i, (left, right) in enumerate(self.spans):
            if self.is_root[i]:
                self.roots[right].append(i)
            else:
                self.to_right[left].append(i)
                self.from_left[right].append(i)
        self.ports: dict[tuple[int, int], float] = {}
        self.widths = [0.0, *(self._spread(i, w) for i, w in enumerate(widths, start=1))]

    def _spread(self, word: int, width: float) -> float:
        """Give the ends at a word their ports; returns what width it needs."""

        def length(arc: int) -> tuple[int, int]:
            return self.spans[arc][1] - self.spans[arc][0], arc

        ends = sorted(self.from_left[word], key=length) + self.roots[word]
        ends += sorted(self.to_right[word], key=length, reverse=True)
        for k, arc in enumerate(ends):
            self.ports[arc, word] = (k - (len(ends) - 1) / 2) * self.look.port_gap
        return max(width, len(ends) * self.look.port_gap)
