"""Levels, labels and rows are those of their definitions, however they are found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona.drawing.labels import LABEL_GAP, place_labels
from dodona.drawing.layout import arrange
from dodona.drawing.levels import stack
from dodona.drawing.occupied import Occupied
from dodona.drawing.pieces import Piece
from dodona.drawing.rows import MOST_PIECES
from dodona.drawing.sizes import Arc, Sizes
from dodona.drawing.svg import draw

SPANS = st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda span: span[0] < span[1])


@given(st.lists(st.tuples(SPANS, st.integers(1, 4))), SPANS, st.integers(0, 5))
def test_the_next_free_level_is_the_first_that_nothing_takes(
    taken: list[tuple[tuple[int, int], int]], asked: tuple[int, int], level: int
) -> None:
    occupied = Occupied(13)
    for (first, end), its_level in taken:
        occupied.take(first, end, its_level)
    met = {lev for (first, end), lev in taken if first < asked[1] and asked[0] < end}
    expected = next(found for found in range(level, 9) if found not in met)
    assert occupied.next_free(*asked, level) == expected
    assert occupied.n_levels(*asked) == max(met, default=-1) + 1


@st.composite
def sizes_and_pieces(draw: st.DrawFn) -> tuple[Sizes, list[Piece]]:
    """Pieces anywhere in a row; those from the root may be of no width."""
    places = st.integers(0, 12).map(float)
    arcs, widths, pieces = [], [], []
    for i in range(draw(st.integers(0, 12))):
        x1, x2 = sorted([draw(places), draw(places)])
        is_root = draw(st.booleans()) or x1 == x2
        arcs.append(Arc(0 if is_root else 1, "", 2))
        widths.append(float(draw(st.integers(0, 6))))
        pieces.append(Piece(i, 0, 20 * x1, 20 * x2, 1, 2))
    return Sizes([1.0, 1.0], arcs, widths), pieces


@given(sizes_and_pieces())
def test_a_piece_is_at_the_lowest_free_level_above_all_within_it(
    made: tuple[Sizes, list[Piece]],
) -> None:
    sizes, pieces = made
    stack(pieces, sizes)

    def order(piece: Piece) -> tuple[bool, float, int]:
        return sizes.is_root[piece.arc], piece.x2 - piece.x1, piece.arc

    done: list[Piece] = []
    for piece in sorted(pieces, key=order):
        met = [other for other in done if piece.x1 < other.x2 and other.x1 < piece.x2]
        within = [other for other in met if piece.x1 <= other.x1 and other.x2 <= piece.x2]
        below = met if sizes.is_root[piece.arc] else within
        expected = 1 + max((other.level for other in below), default=0)
        while expected in {other.level for other in met}:
            expected += 1
        assert piece.level == expected
        done.append(piece)


@given(sizes_and_pieces())
def test_a_label_is_as_near_to_the_middle_as_crossing_lines_allow(
    made: tuple[Sizes, list[Piece]],
) -> None:
    sizes, pieces = made
    stack(pieces, sizes)
    place_labels(pieces, sizes)
    uprights = []
    for piece in pieces:
        middle = (piece.x1 + piece.x2) / 2
        places = [middle] if sizes.is_root[piece.arc] else [piece.x1, piece.x2]
        uprights += [(x, piece.level) for x in places]
    for piece in pieces:
        middle = (piece.x1 + piece.x2) / 2
        if sizes.is_root[piece.arc]:
            assert piece.label_x == middle
            continue
        higher = [x for x, level in uprights if level > piece.level and piece.x1 < x < piece.x2]
        half = sizes.labels[piece.arc] / 2 + LABEL_GAP
        free = [
            min(max(middle, start + half), end - half)
            for start, end in pairwise([piece.x1, *sorted(higher), piece.x2])
            if end - start >= 2 * half
        ]
        assert piece.label_x == min(free, key=lambda x: (abs(x - middle), x), default=middle)


def test_rows_are_no_wider_than_asked_for() -> None:
    arcs = [Arc(word - 1, "obj", word) for word in range(1, 200)]
    layout = arrange([30.0] * 200, arcs, [20.0] * 199, 400)
    assert len(layout.rows) > 10 and all(row.extent <= 400 for row in layout.rows)
    assert [row.first for row in layout.rows[1:]] == [row.last + 1 for row in layout.rows[:-1]]


@pytest.mark.parametrize("n_words", [100, 2000])
def test_arcs_that_would_be_cut_all_over_are_drawn_in_one_row(n_words: int) -> None:
    """A star over many rows: as many pieces as rows times arcs, of which nobody sees anything."""
    arcs = [Arc(1, "obj", word) for word in range(2, n_words + 1)]
    layout = arrange([30.0] * n_words, arcs, [20.0] * len(arcs), 400)
    assert len(layout.pieces) <= MOST_PIECES * len(arcs)
    assert (len(layout.rows) == 1) == (n_words == 2000)


def test_marks_in_an_order_that_unicode_does_not_want_take_no_room() -> None:
    """Python sorts them by comparing each with all before it: hours, for a million."""
    picture = draw(["e" + "\u0301\u0323" * 500_000], [])
    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg" class="dodona" width="33"')
