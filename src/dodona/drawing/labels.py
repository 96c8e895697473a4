"""Where on its line the label of an arc goes: in the middle, or as near as crossing lines allow.

What crosses the line of a piece are the upright lines of higher ones. So pieces are looked at from
the highest level down, and the uprights of each level are put up behind it, in a tree that knows
the widest gap between any two neighbours.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import groupby
from math import inf

from dodona.drawing.pieces import Piece
from dodona.drawing.sizes import Sizes

LABEL_GAP = 4.0  # between a label and what crosses its line


def place_labels(pieces: Sequence[Piece], sizes: Sizes) -> None:
    """Give every piece the middle of its label."""
    ends = {id(piece): _ends(piece, sizes.is_root[piece.arc]) for piece in pieces}
    uprights = _Uprights(sorted({x for found in ends.values() for x in found}))
    down = sorted(pieces, key=lambda piece: -piece.level)
    for _, level in groupby(down, key=lambda piece: piece.level):
        same = list(level)
        for piece in same:
            half = sizes.labels[piece.arc] / 2 + LABEL_GAP
            middle = piece.label_x = (piece.x1 + piece.x2) / 2
            if not sizes.is_root[piece.arc]:
                free = [
                    min(max(middle, start + half), end - half)
                    for start, end in uprights.gaps(piece.x1, middle, piece.x2, 2 * half)
                ]
                piece.label_x = min(free, key=lambda x: (abs(x - middle), x), default=middle)
        for piece in same:
            for x in ends[id(piece)]:
                uprights.put_up(x)


def _ends(piece: Piece, is_root: bool) -> list[float]:
    """The places of a piece's upright lines."""
    if is_root:
        return [(piece.x1 + piece.x2) / 2]
    ends = (piece.x1, piece.left), (piece.x2, piece.right)
    return [x for x, word in ends if word is not None]


class _Uprights:
    """Upright lines, whose places are known beforehand and which are put up one after the other.

    In a node of the tree: the first and the last that is up, and the widest gap in between.
    """

    def __init__(self, places: Sequence[float]) -> None:
        self.places = places
        self.n_leaves = 1 << len(places).bit_length()
        self.first = [inf] * (2 * self.n_leaves)
        self.last = [-inf] * (2 * self.n_leaves)
        self.gap = [0.0] * (2 * self.n_leaves)

    def put_up(self, x: float) -> None:
        node = bisect_left(self.places, x) + self.n_leaves
        self.first[node] = self.last[node] = x
        while node > 1:
            node //= 2
            left, right = 2 * node, 2 * node + 1
            self.first[node] = min(self.first[left], self.first[right])
            self.last[node] = max(self.last[left], self.last[right])
            between = self.first[right] - self.last[left]
            inner = max(self.gap[left], self.gap[right])
            self.gap[node] = max(inner, between) if between < inf else inner

    def gaps(self, x1: float, middle: float, x2: float, width: float) -> list[tuple[float, float]]:
        """The gaps between x1 and x2, this wide at least, that are nearest to the middle.

        One holds the middle or is to the left of it, the other is to the right.
        """
        start, centre = bisect_right(self.places, x1), bisect_left(self.places, middle)
        to_left = self._nodes(start, centre)[::-1]
        to_right = self._nodes(centre, bisect_left(self.places, x2))
        right = min([x2, *(self.first[node] for node in to_right)])
        found = self._find(to_left, right, x1, width), self._find(to_right, right, x2, width)
        return [gap for gap in found if gap is not None]

    def _find(
        self, nodes: Sequence[int], edge: float, margin: float, width: float
    ) -> tuple[float, float] | None:
        """The first gap on the way from an edge through these nodes to the margin."""
        leftwards = margin < edge
        near, far = (self.last, self.first) if leftwards else (self.first, self.last)
        todo = list(reversed(nodes))
        while todo:
            node = todo.pop()
            if self.first[node] == inf:
                continue
            if abs(edge - near[node]) >= width:
                margin = near[node]
                break
            if self.gap[node] >= width:
                todo += [2 * node, 2 * node + 1] if leftwards else [2 * node + 1, 2 * node]
            else:
                edge = far[node]
        return (min(edge, margin), max(edge, margin)) if abs(edge - margin) >= width else None

    def _nodes(self, low: int, high: int) -> list[int]:
        """The largest nodes that make up some leaves, from left to right."""
        low, high, left, right = low + self.n_leaves, high + self.n_leaves, [], []
        while low < high:
            if low & 1:
                left.append(low)
                low += 1
            if high & 1:
                high -= 1
                right.append(high)
            low, high = low >> 1, high >> 1
        return left + right[::-1]
