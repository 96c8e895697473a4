"""Layout of a dependency drawing: words in rows, arcs on levels above them, labels on the arcs.

Where a sentence is broken into rows, an arc has a *segment* in every row that it passes, each with
the arc's label.

All segments of a row are compared with each other. The server draws at most 250 words and 1,000
arcs (`Limits.explore_words`, `Limits.explore_arcs`), which takes less than a second; a tree of
2,000 words takes about two.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dodona.drawing.dimensions import NORMAL, Dimensions
from dodona.drawing.measurements import Arc, Measurements
from dodona.drawing.row_breaking import WordRow, break_rows

__all__ = ["Arc", "ArcSegment", "DrawingLayout", "arrange"]

LABEL_GAP = 4.0  # between a label and a line that crosses the segment


@dataclass
class ArcSegment:
    """The part of an arc in one row; `left` or `right` is None where it ends at the margin."""

    arc: int
    row: int
    x1: float
    x2: float
    left: int | None
    right: int | None
    level: int = 0
    label_x: float = 0.0


@dataclass
class DrawingLayout:
    """Coordinates of all words and arc segments; x is measured from the left margin."""

    rows: list[WordRow]
    segments: list[ArcSegment]
    width: float


def arrange(
    widths: Sequence[float],
    arcs: Sequence[Arc],
    label_widths: Sequence[float],
    max_width: float | None = None,
    dimensions: Dimensions = NORMAL,
) -> DrawingLayout:
    """Lay out a sentence in rows of at most `max_width`, except for single words that are wider."""
    sizes = Measurements(widths, arcs, label_widths, dimensions)
    rows = break_rows(sizes, max_width)
    total = max((row.extent for row in rows), default=0.0)
    segments: list[ArcSegment] = []
    for number, row in enumerate(rows):
        found = [
            _segment(sizes, arc, row, number, total)
            for arc, (left, right) in enumerate(sizes.spans)
            if row.first <= right and (right if sizes.is_root[arc] else left) <= row.last
        ]
        assign_levels(found, sizes)
        place_labels(found, sizes)
        row.n_levels = max((segment.level for segment in found), default=0)
        segments += found
    segments.sort(key=lambda segment: (segment.arc, segment.row))
    return DrawingLayout(rows, segments, total)


def _segment(sizes: Measurements, arc: int, row: WordRow, number: int, edge: float) -> ArcSegment:
    """Return the segment of an arc in a row, which ends at `edge`."""

    def port(word: int) -> float:
        return row.centres[word - row.first] + sizes.ports[arc, word]

    left, right = sizes.spans[arc]
    if sizes.is_root[arc]:
        x, half = port(right), sizes.label_widths[arc] / 2
        return ArcSegment(arc, number, x - half, x + half, right, right)
    starts, ends = left >= row.first, right <= row.last
    x1, x2 = port(left) if starts else 0.0, port(right) if ends else edge
    return ArcSegment(arc, number, x1, x2, left if starts else None, right if ends else None)


def assign_levels(segments: Sequence[ArcSegment], sizes: Measurements) -> None:
    """Give every segment of a row its level, from 1.

    A segment takes the lowest free level above all segments within its span, and a root arc one
    above all that it meets; so the arcs of a projective tree never touch.
    """

    def order(segment: ArcSegment) -> tuple[bool, float, int, int]:
        left, right = sizes.spans[segment.arc]
        return sizes.is_root[segment.arc], segment.x2 - segment.x1, right - left, segment.arc

    placed: list[tuple[float, float, int]] = []
    for segment in sorted(segments, key=order):
        x1, x2 = segment.x1, segment.x2
        met = [other for other in placed if x1 < other[1] and other[0] < x2]
        below = taken = {level for _, _, level in met}
        if not sizes.is_root[segment.arc]:
            below = {level for a, b, level in met if x1 <= a and b <= x2}
        segment.level = 1 + max(below, default=0)
        while segment.level in taken:
            segment.level += 1
        placed.append((x1, x2, segment.level))


def place_labels(segments: Sequence[ArcSegment], sizes: Measurements) -> None:
    """Centre every label on its segment, or as near to the centre as crossing lines allow.

    Only vertical lines of segments on higher levels cross a segment.
    """
    verticals: list[float] = []  # sorted x coordinates of the vertical lines of higher segments
    for segment in sorted(segments, key=lambda segment: -segment.level):
        x1, x2 = segment.x1, segment.x2
        middle = segment.label_x = (x1 + x2) / 2
        if sizes.is_root[segment.arc]:
            insort(verticals, middle)
            continue
        half = sizes.label_widths[segment.arc] / 2 + LABEL_GAP
        crossing = verticals[bisect_right(verticals, x1) : bisect_left(verticals, x2)]
        free = [
            min(max(middle, start + half), end - half)
            for start, end in pairwise([x1, *crossing, x2])
            if end - start >= 2 * half
        ]
        segment.label_x = min(free, key=lambda x: (abs(x - middle), x), default=middle)
        for x, word in ((x1, segment.left), (x2, segment.right)):
            if word is not None:
                insort(verticals, x)
