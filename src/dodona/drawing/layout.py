"""Layout of a dependency drawing: words in rows, arcs on levels above them, labels on the arcs.

Where a sentence is broken into rows, an arc has a *segment* in every row that it passes, each with
the arc's label. There are as few rows as possible, and the last one is as long as possible.

All segments of a row are compared with each other. The server draws at most 250 words and 1,000
arcs (`Limits.explore_words`, `Limits.explore_arcs`), which takes less than a second; a tree of
2,000 words takes about two.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf

from dodona.drawing.measurements import NORMAL, Arc, Dimensions, Measurements

LABEL_GAP = 4.0  # between a label and a line that crosses the segment
NARROWING_STEPS = 9
LEAST_FILLED = 0.85  # share of the width that the widest row must fill

# An arc has a segment in every row that it passes. With more than this many segments per arc on
# average, a drawing would be mostly lines along the margins, and too large to display.
MAX_SEGMENTS_PER_ARC = 20


@dataclass
class WordRow:
    """The words `first` to `last`, and the x coordinate of the centre of each."""

    first: int
    last: int
    centres: list[float]
    extent: float
    n_levels: int = 0


def break_rows(sizes: Measurements, max_width: float | None) -> list[WordRow]:
    """Break a sentence into rows of at most `max_width`, except for single words that are wider.

    All words stay in one row if `max_width` is None or if rows would cut the arcs too often.
    """
    if max_width is not None:
        rows = _balance(sizes, max_width)
        row_of = [0, *(i for i, row in enumerate(rows) for _ in row.centres)]
        n_segments = sum(
            1 if is_root else row_of[right] - row_of[left] + 1
            for (left, right), is_root in zip(sizes.spans, sizes.is_root, strict=True)
        )
        if n_segments <= MAX_SEGMENTS_PER_ARC * len(sizes.spans):
            return rows
    return _break(sizes, inf)


def _balance(sizes: Measurements, max_width: float) -> list[WordRow]:
    """Return the fewest rows possible, narrowed by bisection so that the last row is longer."""
    best = _break(sizes, max_width)
    if len(best) > 1:
        low, high = LEAST_FILLED * max_width, max_width
        for _ in range(NARROWING_STEPS):
            middle = (low + high) / 2
            rows = _break(sizes, middle)
            if len(rows) == len(best) and max(row.extent for row in rows) <= max_width:
                best, high = rows, middle
            else:
                low = middle
    return best


def _break(sizes: Measurements, max_width: float) -> list[WordRow]:
    """Fill one row after the other."""
    rows: list[WordRow] = []
    first = 1
    while first < len(sizes.widths):
        rows.append(_fill_row(sizes, first, max_width))
        first = rows[-1].last + 1
    return rows


def _fill_row(sizes: Measurements, first: int, max_width: float) -> WordRow:
    """Place as many words from `first` on as fit, but at least one."""
    centres: list[float] = []
    extent = edge = 0.0
    # heap of the open arcs: minus the x coordinate that an arc reaches at least, and its last word;
    # arcs of earlier rows begin at the margin
    open_arcs = [
        (-sizes.arc_widths[arc], right)
        for arc, (left, right) in enumerate(sizes.spans)
        if 0 < left < first <= right
    ]
    heapify(open_arcs)
    roots_end = 0.0  # right end of the labels of root arcs
    for word in range(first, len(sizes.widths)):
        half = sizes.widths[word] / 2
        centre = edge + half
        for arc in sizes.from_left[word]:
            left = sizes.spans[arc][0]
            start = centres[left - first] + sizes.ports[arc, left] if left >= first else 0.0
            centre = max(centre, start + sizes.arc_widths[arc] - sizes.ports[arc, word])
        for arc in sizes.roots[word]:
            port, label = sizes.ports[arc, word], sizes.label_widths[arc]
            centre = max(centre, label / 2 - port)
            roots_end = max(roots_end, centre + port + label / 2)
        for arc in sizes.to_right[word]:
            reach = centre + sizes.ports[arc, word] + sizes.arc_widths[arc]
            heappush(open_arcs, (-reach, sizes.spans[arc][1]))
        while open_arcs and open_arcs[0][1] <= word:
            heappop(open_arcs)
        needed = max(centre + half, roots_end, -open_arcs[0][0] if open_arcs else 0.0)
        # More words cannot help: an open arc, or the word at its end, reaches as far.
        if needed > max_width and centres:
            break
        centres.append(centre)
        extent = needed
        edge = centre + half + sizes.dimensions.word_gap
    return WordRow(first, first + len(centres) - 1, centres, extent)


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
