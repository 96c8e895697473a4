"""Horizontal positions of the words: rows no wider than asked, with room for the arcs' labels.

A sentence that is too wide is broken into as few rows as possible; among such breaks, one is chosen
that fills the rows and leaves the last row long.
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf

from dodona.drawing.measurements import Measurements

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
