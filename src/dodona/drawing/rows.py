"""Words in rows, each clear of its neighbours, with room for the labels of the arcs between them.

A sentence that is too wide is broken into rows that fill the width, the last as long as may be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import TypeAlias

from dodona.drawing.sizes import Sizes

NARROWING_STEPS = 9
LEAST_FILLED = 0.85  # of the width, by the widest row

# An arc is cut into a piece for each row that it passes. Where arcs have more than this on average,
# the drawing would be mostly lines along the margins, and larger than anything can show.
MOST_PIECES = 20


@dataclass
class Row:
    """The words `first` to `last`, and the centre of each."""

    first: int
    last: int
    centres: list[float]
    extent: float
    n_levels: int = 0


# Arcs that are open at a word, the one that reaches furthest first: (-how far, its last word).
# What has ended stays until it comes first.
Open: TypeAlias = list[tuple[float, int]]


def break_rows(sizes: Sizes, most: float | None) -> list[Row]:
    """Rows no wider than `most` where a single word allows it; one, if arcs are cut too often."""
    if most is not None:
        rows = _balance(sizes, most)
        if _count_pieces(sizes, rows) <= MOST_PIECES * len(sizes.spans):
            return rows
    return _break(sizes, inf)


def _count_pieces(sizes: Sizes, rows: Sequence[Row]) -> int:
    row_of = [0, *(i for i, row in enumerate(rows) for _ in row.centres)]
    return sum(
        1 if is_root else row_of[right] - row_of[left] + 1
        for (left, right), is_root in zip(sizes.spans, sizes.is_root, strict=True)
    )


def _balance(sizes: Sizes, most: float) -> list[Row]:
    """Rows within `most`, as few as can be, almost as wide; of such, narrower ones, so that the
    last is not so short."""
    best = _break(sizes, most)
    if len(best) > 1:
        low, high = LEAST_FILLED * most, most
        for _ in range(NARROWING_STEPS):
            middle = (low + high) / 2
            rows = _break(sizes, middle)
            if len(rows) == len(best) and max(row.extent for row in rows) <= most:
                best, high = rows, middle
            else:
                low = middle
    return best


def _break(sizes: Sizes, most: float) -> list[Row]:
    rows: list[Row] = []
    word, n_words = 1, len(sizes.widths) - 1
    passing: Open = []  # arcs from rows above, which begin at the margin
    while word <= n_words:
        row = _row(sizes, word, most, passing)
        for done in range(word, row.last + 1):
            for arc in sizes.to_right[done]:
                heappush(passing, (-sizes.needs[arc], sizes.spans[arc][1]))
        rows.append(row)
        word = row.last + 1
    return rows


def _row(sizes: Sizes, first: int, most: float, passing: Open) -> Row:
    """As many words from `first` on as fit, and one in any case."""
    centres: list[float] = []
    extent = edge = 0.0
    shown = 0.0  # how far labels of the root reach
    open_arcs: Open = []
    for word in range(first, len(sizes.widths)):
        half = sizes.widths[word] / 2
        centre = edge + half
        for arc in sizes.from_left[word]:
            left = sizes.spans[arc][0]
            start = centres[left - first] + sizes.ports[arc, left] if left >= first else 0.0
            centre = max(centre, start + sizes.needs[arc] - sizes.ports[arc, word])
        for arc in sizes.roots[word]:
            port, label = sizes.ports[arc, word], sizes.labels[arc]
            centre = max(centre, label / 2 - port)
            shown = max(shown, centre + port + label / 2)
        for arc in sizes.to_right[word]:
            reach = centre + sizes.ports[arc, word] + sizes.needs[arc]
            heappush(open_arcs, (-reach, sizes.spans[arc][1]))
        needed = max(centre + half, shown, _furthest(open_arcs, word), _furthest(passing, word))
        # What is too wide here stays so: an open arc reaches as far, or the word that it ends at.
        if needed > most and centres:
            break
        centres.append(centre)
        extent = needed
        edge = centre + half + sizes.look.word_gap
    return Row(first, first + len(centres) - 1, centres, extent)


def _furthest(arcs: Open, word: int) -> float:
    """How far the arcs reach that go on behind a word."""
    while arcs and arcs[0][1] <= word:
        heappop(arcs)
    return -arcs[0][0] if arcs else 0.0
