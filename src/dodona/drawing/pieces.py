"""The parts of arcs in the rows of a drawing; they end at the margin, and each has the label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dodona.drawing.rows import Row
from dodona.drawing.sizes import Sizes


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


def cut(sizes: Sizes, rows: Sequence[Row], edge: float) -> Iterator[list[Piece]]:
    """The pieces of each row, which ends at `edge`."""
    passing: list[int] = []  # arcs from rows above
    for number, row in enumerate(rows):
        words = range(row.first, row.last + 1)
        begun = [arc for word in words for arc in sizes.to_right[word]]
        roots = [arc for word in words for arc in sizes.roots[word]]
        yield [
            *(_piece(sizes, arc, row, number, edge) for arc in [*passing, *begun]),
            *(_root_piece(sizes, arc, row, number) for arc in roots),
        ]
        passing = [arc for arc in [*passing, *begun] if sizes.spans[arc][1] > row.last]


def _piece(sizes: Sizes, arc: int, row: Row, number: int, edge: float) -> Piece:
    left, right = sizes.spans[arc]
    starts, ends = left >= row.first, right <= row.last
    x1 = _port(sizes, arc, left, row) if starts else 0.0
    x2 = _port(sizes, arc, right, row) if ends else edge
    return Piece(arc, number, x1, x2, left if starts else None, right if ends else None)


def _root_piece(sizes: Sizes, arc: int, row: Row, number: int) -> Piece:
    word, half = sizes.spans[arc][1], sizes.labels[arc] / 2
    x = _port(sizes, arc, word, row)
    return Piece(arc, number, x - half, x + half, word, word)


def _port(sizes: Sizes, arc: int, word: int, row: Row) -> float:
    return row.centres[word - row.first] + sizes.ports[arc, word]
