"""Where words and arcs of a dependency drawing go: rows, places, levels.

Words stand in a line, arcs above them; a sentence that is too wide is broken into rows. `sizes`
says what words and arcs need, `rows` where words stand, `pieces` which parts of arcs are in a row,
`levels` how high they go, `labels` where their labels are. All of it takes n log n steps, however
many arcs there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dodona.drawing.labels import place_labels
from dodona.drawing.levels import stack
from dodona.drawing.look import USUAL, Look
from dodona.drawing.pieces import Piece, cut
from dodona.drawing.rows import Row, break_rows
from dodona.drawing.sizes import Arc, Sizes

__all__ = ["Arc", "Layout", "Piece", "arrange"]


@dataclass
class Layout:
    """Every word and piece in its place; x counts from the left margin."""

    rows: list[Row]
    pieces: list[Piece]
    width: float


def arrange(
    widths: Sequence[float],
    arcs: Sequence[Arc],
    label_widths: Sequence[float],
    most: float | None = None,
    look: Look = USUAL,
) -> Layout:
    """The layout of a sentence, in rows no wider than `most` where a single word allows it."""
    sizes = Sizes(widths, arcs, label_widths, look)
    rows = break_rows(sizes, most)
    total = max((row.extent for row in rows), default=0.0)
    pieces: list[Piece] = []
    for row, found in zip(rows, cut(sizes, rows, total), strict=True):
        stack(found, sizes)
        place_labels(found, sizes)
        row.n_levels = max((piece.level for piece in found), default=0)
        pieces += found
    pieces.sort(key=lambda piece: (piece.arc, piece.row))
    return Layout(rows, pieces, total)
