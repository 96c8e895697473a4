"""Where words and arcs of a dependency drawing go: rows, places, levels.

Words stand in a line, arcs above them. Each end of an arc has a *port* of its own at its word, and
ports are ordered so that nested arcs never meet: from left to right the arcs to the left, the
nearest first, then the arc from the root, then the arcs to the right, the nearest last. Words keep
enough distance for the labels of the arcs between them. An arc is at the lowest level above all
that lies within it, so arcs of a projective tree never touch; where two cross, labels step aside.

A sentence that is too wide is broken into rows of about the same width. The parts of an arc that
runs over several rows are its *pieces*; they end at the margin, and each has the label.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import NamedTuple

WORD_GAP = 18.0
PORT_GAP = 9.0
LABEL_ROOM = 16.0  # of an arc beside its label: two corners and a bit of line
LABEL_GAP = 4.0  # between a label and what crosses its line
NARROWING_STEPS = 9


class Arc(NamedTuple):
    """From a head to a dependent; words count from 1, head 0 is the artificial root.

    `kind` is for the eye: a class that a style sheet may know.
    """

    head: int
    label: str
    dependent: int
    kind: str = ""


@dataclass
class Piece:
    """An arc, or the part of it that is in a row; `left` or `right` is None at the margin."""

    arc: int
    row: int
    x1: float
    x2: float
    left: int | None
    right: int | None
    level: int = 0
    label_x: float = 0.0


@dataclass
class Row:
    """The words `first` to `last`, and the centre of each."""

    first: int
    last: int
    centres: list[float]
    extent: float
    n_levels: int = 0


@dataclass
class Layout:
    """Every word and piece in its place; x counts from the left margin."""

    rows: list[Row]
    pieces: list[Piece]
    width: float


class Sizes:
    """What the words and arcs of a sentence need: widths, and the ports of the arcs' ends."""

    def __init__(
        self, widths: Sequence[float], arcs: Sequence[Arc], label_widths: Sequence[float]
    ) -> None:
        self.spans = [(min(arc.head, arc.dependent), max(arc.head, arc.dependent)) for arc in arcs]
        self.is_root = [arc.head == 0 for arc in arcs]
        self.labels = label_widths
        self.needs = [width + LABEL_ROOM for width in label_widths]
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
            self.ports[arc, word] = (k - (len(ends) - 1) / 2) * PORT_GAP
        return max(width, len(ends) * PORT_GAP)


def arrange(
    widths: Sequence[float],
    arcs: Sequence[Arc],
    label_widths: Sequence[float],
    most: float | None = None,
) -> Layout:
    """The layout of a sentence, in rows no wider than `most` where a single word allows it."""
    sizes = Sizes(widths, arcs, label_widths)
    rows = _balance(sizes, inf if most is None else most)
    total = max((row.extent for row in rows), default=0.0)
    pieces: list[Piece] = []
    for number, row in enumerate(rows):
        found = _pieces(sizes, row, number, total)
        _stack(found, sizes)
        _place_labels(found, sizes)
        row.n_levels = max((piece.level for piece in found), default=0)
        pieces += found
    pieces.sort(key=lambda piece: (piece.arc, piece.row))
    return Layout(rows, pieces, total)


def _balance(sizes: Sizes, most: float) -> list[Row]:
    """Rows within `most`, as few as can be; of such, rather narrow ones, so that none is short."""
    best = _break(sizes, most)
    if len(best) > 1:
        low, high = most / 2, most
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
    passing: set[int] = set()  # arcs from rows above to this one or those below
    while word <= n_words:
        rows.append(_row(sizes, word, most, passing))
        for done in range(word, rows[-1].last + 1):
            passing.difference_update(sizes.from_left[done])
            passing.update(sizes.to_right[done])
        word = rows[-1].last + 1
    return rows


def _row(sizes: Sizes, first: int, most: float, passing: set[int]) -> Row:
    """As many words from `first` on as fit, each clear of its neighbour, labels included."""
    best = Row(first, first - 1, [], 0.0)
    centres: list[float] = []
    edge, open_arcs = 0.0, set(passing)
    shown = 0.0  # how far labels of the root reach
    for word in range(first, len(sizes.widths)):
        half = sizes.widths[word] / 2
        centre = edge + half
        for arc in sizes.from_left[word]:
            left = sizes.spans[arc][0]
            start = centres[left - first] + sizes.ports[arc, left] if left >= first else 0.0
            centre = max(centre, start + sizes.needs[arc] - sizes.ports[arc, word])
            open_arcs.discard(arc)
        for arc in sizes.roots[word]:
            port, label = sizes.ports[arc, word], sizes.labels[arc]
            centre = max(centre, label / 2 - port)
            shown = max(shown, centre + port + label / 2)
        if centre + half > most and centres:
            break
        centres.append(centre)
        edge = centre + half + WORD_GAP
        open_arcs.update(sizes.to_right[word])
        extent = max(centre + half, shown)
        for arc in open_arcs:
            left = sizes.spans[arc][0]
            start = centres[left - first] + sizes.ports[arc, left] if left >= first else 0.0
            extent = max(extent, start + sizes.needs[arc])
        if extent <= most or not best.centres:
            best = Row(first, word, list(centres), extent)
    return best


def _pieces(sizes: Sizes, row: Row, number: int, edge: float) -> list[Piece]:
    """The parts of arcs in a row, as they run from left to right."""
    pieces = []
    for arc, (left, right) in enumerate(sizes.spans):
        if right < row.first or left > row.last:
            continue

        def x(word: int, arc: int = arc) -> float:
            return row.centres[word - row.first] + sizes.ports[arc, word]

        if sizes.is_root[arc]:
            if right <= row.last:
                half = sizes.labels[arc] / 2
                pieces.append(Piece(arc, number, x(right) - half, x(right) + half, right, right))
            continue
        starts, ends = left >= row.first, right <= row.last
        x1, x2 = x(left) if starts else 0.0, x(right) if ends else edge
        pieces.append(Piece(arc, number, x1, x2, left if starts else None, right if ends else None))
    return pieces


def _stack(pieces: Sequence[Piece], sizes: Sizes) -> None:
    """Give every piece its level, from 1: narrow ones first, those from the root above all."""

    def order(piece: Piece) -> tuple[bool, float, int, int]:
        left, right = sizes.spans[piece.arc]
        return sizes.is_root[piece.arc], piece.x2 - piece.x1, right - left, piece.arc

    done: list[Piece] = []
    for piece in sorted(pieces, key=order):
        met = [other for other in done if piece.x1 < other.x2 and other.x1 < piece.x2]
        within = [p for p in met if piece.x1 <= p.x1 and p.x2 <= piece.x2]
        below = met if sizes.is_root[piece.arc] else within
        taken = {other.level for other in met}
        piece.level = 1 + max((other.level for other in below), default=0)
        while piece.level in taken:
            piece.level += 1
        done.append(piece)


def _place_labels(pieces: Sequence[Piece], sizes: Sizes) -> None:
    """In the middle of the line, or as near as upright lines of crossing arcs allow."""
    uprights = [
        (x, piece.level)
        for piece in pieces
        for x, word in _ends(piece, sizes.is_root[piece.arc])
        if word is not None
    ]
    for piece in pieces:
        middle = piece.label_x = (piece.x1 + piece.x2) / 2
        if sizes.is_root[piece.arc]:
            continue
        crossing = [x for x, level in uprights if level > piece.level and piece.x1 < x < piece.x2]
        bounds = [piece.x1, *sorted(crossing), piece.x2]
        half = sizes.labels[piece.arc] / 2 + LABEL_GAP
        free = [
            min(max(middle, start + half), end - half)
            for start, end in pairwise(bounds)
            if end - start >= 2 * half
        ]
        if free:
            piece.label_x = min(free, key=lambda x: (abs(x - middle), x))


def _ends(piece: Piece, is_root: bool) -> list[tuple[float, int | None]]:
    """The places of a piece's upright lines, with the words below them."""
    if is_root:
        return [((piece.x1 + piece.x2) / 2, piece.right)]
    return [(piece.x1, piece.left), (piece.x2, piece.right)]
