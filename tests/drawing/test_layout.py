"""Levels, labels and rows of a layout agree with their definitions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona.drawing.layout import (
    LABEL_GAP,
    MAX_SEGMENTS_PER_ARC,
    ArcSegment,
    arrange,
    assign_levels,
    place_labels,
)
from dodona.drawing.measurements import Arc, Measurements
from dodona.drawing.svg import draw


@st.composite
def sizes_and_segments(draw: st.DrawFn) -> tuple[Measurements, list[ArcSegment]]:
    """Segments anywhere in a row; those of root arcs may have no width."""
    positions = st.integers(0, 12).map(float)
    arcs, widths, segments = [], [], []
    for i in range(draw(st.integers(0, 12))):
        x1, x2 = sorted([draw(positions), draw(positions)])
        is_root = draw(st.booleans()) or x1 == x2
        arcs.append(Arc(0 if is_root else 1, "", 2))
        widths.append(float(draw(st.integers(0, 6))))
        segments.append(ArcSegment(i, 0, 20 * x1, 20 * x2, 1, 2))
    return Measurements([1.0, 1.0], arcs, widths), segments


@given(sizes_and_segments())
def test_a_segment_is_at_the_lowest_free_level_above_all_within_it(
    made: tuple[Measurements, list[ArcSegment]],
) -> None:
    sizes, segments = made
    assign_levels(segments, sizes)

    def order(segment: ArcSegment) -> tuple[bool, float, int]:
        return sizes.is_root[segment.arc], segment.x2 - segment.x1, segment.arc

    done: list[ArcSegment] = []
    for segment in sorted(segments, key=order):
        met = [other for other in done if segment.x1 < other.x2 and other.x1 < segment.x2]
        within = [other for other in met if segment.x1 <= other.x1 and other.x2 <= segment.x2]
        below = met if sizes.is_root[segment.arc] else within
        expected = 1 + max((other.level for other in below), default=0)
        while expected in {other.level for other in met}:
            expected += 1
        assert segment.level == expected
        done.append(segment)


@given(sizes_and_segments())
def test_a_label_is_as_near_to_the_middle_as_crossing_lines_allow(
    made: tuple[Measurements, list[ArcSegment]],
) -> None:
    sizes, segments = made
    assign_levels(segments, sizes)
    place_labels(segments, sizes)
    verticals = []
    for segment in segments:
        middle = (segment.x1 + segment.x2) / 2
        ends = [middle] if sizes.is_root[segment.arc] else [segment.x1, segment.x2]
        verticals += [(x, segment.level) for x in ends]
    for segment in segments:
        middle = (segment.x1 + segment.x2) / 2
        if sizes.is_root[segment.arc]:
            assert segment.label_x == middle
            continue
        higher = [x for x, level in verticals if level > segment.level]
        crossing = [x for x in higher if segment.x1 < x < segment.x2]
        half = sizes.label_widths[segment.arc] / 2 + LABEL_GAP
        free = [
            min(max(middle, start + half), end - half)
            for start, end in pairwise([segment.x1, *sorted(crossing), segment.x2])
            if end - start >= 2 * half
        ]
        assert segment.label_x == min(free, key=lambda x: (abs(x - middle), x), default=middle)


def test_rows_are_no_wider_than_asked_for() -> None:
    arcs = [Arc(word - 1, "obj", word) for word in range(1, 200)]
    layout = arrange([30.0] * 200, arcs, [20.0] * 199, 400)
    assert len(layout.rows) > 10 and all(row.extent <= 400 for row in layout.rows)
    assert [row.first for row in layout.rows[1:]] == [row.last + 1 for row in layout.rows[:-1]]


@pytest.mark.thorough
@pytest.mark.parametrize("n_words", [100, 2000])
def test_arcs_that_would_be_cut_all_over_are_drawn_in_one_row(n_words: int) -> None:
    """A star over many rows would need as many segments as rows times arcs."""
    arcs = [Arc(1, "obj", word) for word in range(2, n_words + 1)]
    layout = arrange([30.0] * n_words, arcs, [20.0] * len(arcs), 400)
    assert len(layout.segments) <= MAX_SEGMENTS_PER_ARC * len(arcs)
    assert (len(layout.rows) == 1) == (n_words == 2000)


def test_a_million_combining_marks_out_of_canonical_order_are_measured() -> None:
    """`unicodedata.normalize` takes quadratic time to sort them: hours, for a million."""
    picture = draw(["e" + "\u0301\u0323" * 500_000], [])
    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg" class="dodona" width="33"')
