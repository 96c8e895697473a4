"""How high above the words each piece of an arc goes: at the lowest level above all within it.

So arcs of a projective tree never touch. Pieces are put up from narrow to wide, those from the root
above all they meet; a level that something in between has taken is passed by.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from dodona.drawing.occupied import Occupied
from dodona.drawing.pieces import Piece
from dodona.drawing.sizes import Sizes


def stack(pieces: Sequence[Piece], sizes: Sizes) -> None:
    """Give every piece its level, from 1."""

    def order(piece: Piece) -> tuple[bool, float, int, int]:
        left, right = sizes.spans[piece.arc]
        return sizes.is_root[piece.arc], piece.x2 - piece.x1, right - left, piece.arc

    places = sorted({x for piece in pieces for x in (piece.x1, piece.x2)})
    rank = {x: i for i, x in enumerate(places)}
    # of places and of the gaps between them: what ends at a place does not meet what begins there
    occupied, highest = Occupied(2 * len(places)), _Highest(len(places))
    points: list[tuple[int, int]] = []  # pieces of no width, which do not meet each other
    for piece in sorted(pieces, key=order):
        left, right = rank[piece.x1], rank[piece.x2]
        first, end = (2 * left + 1, 2 * right) if left < right else (2 * left, 2 * left + 1)
        if left < right:
            for place, level in points:
                occupied.take(place, place + 1, level)
            points.clear()
        if sizes.is_root[piece.arc]:
            piece.level = max(1, occupied.n_levels(first, end))
        else:
            piece.level = occupied.next_free(first, end, 1 + highest.within(left, right))
            highest.add(left, right, piece.level)
        if left < right:
            occupied.take(first, end, piece.level)
        else:
            points.append((first, piece.level))


class _Highest:
    """The level of the highest piece between two places.

    A Fenwick tree over left ends, from right to left. Each node has the right ends at which a piece
    is higher than all that end before it.
    """

    def __init__(self, n_places: int) -> None:
        self.n_places = n_places
        self.ends: list[list[int]] = [[] for _ in range(n_places + 1)]
        self.levels: list[list[int]] = [[] for _ in range(n_places + 1)]

    def within(self, start: int, end: int) -> int:
        """The level of the highest piece that is nowhere outside; 0 if there is none."""
        highest, node = 0, self.n_places - start
        while node > 0:
            n = bisect_right(self.ends[node], end)
            if n:
                highest = max(highest, self.levels[node][n - 1])
            node -= node & -node
        return highest

    def add(self, start: int, end: int, level: int) -> None:
        node = self.n_places - start
        while node <= self.n_places:
            ends, levels = self.ends[node], self.levels[node]
            first, behind = bisect_left(ends, end), bisect_right(ends, end)
            if not behind or levels[behind - 1] < level:
                while behind < len(levels) and levels[behind] <= level:
                    behind += 1
                ends[first:behind], levels[first:behind] = [end], [level]
            node += node & -node
