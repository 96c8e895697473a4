"""Plots: valid XML with every value, and ticks at round numbers."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona_papers.reporting.plot import Panel, line_plots, ticks


def test_a_plot_is_xml_with_a_point_for_each_value() -> None:
    lines = {"a < b": [70.5, 80.25], "c & d": [60, 65, 66]}
    svg = ElementTree.fromstring(
        line_plots([Panel("<one>", lines), Panel("two", {"a < b": [1.0]})], title="T", x_label="t")
    )
    told = [title.text for title in svg.iterfind(".//{*}circle/{*}title")]
    assert told == [
        *("a < b, t 1: 70.50", "a < b, t 2: 80.25"),
        *("c & d, t 1: 60.00", "c & d, t 2: 65.00", "c & d, t 3: 66.00"),
        "a < b, t 1: 1.00",
    ]
    width, height = map(float, svg.attrib["viewBox"].split()[2:])
    for circle in svg.iterfind(".//{*}circle"):
        assert 0 < float(circle.attrib["cx"]) < width / 2
        assert 0 < float(circle.attrib["cy"]) < height


@given(st.floats(0, 100), st.floats(0, 100), st.integers(2, 8))
def test_ticks_enclose_the_values_at_even_steps(x: float, y: float, n_most: int) -> None:
    low, high = sorted((x, y))
    found = ticks(low, high, n_most)
    assert 2 <= len(found) <= n_most
    assert found[0] <= low + 1e-6
    assert found[-1] >= high - 1e-6
    steps = [b - a for a, b in pairwise(found)]
    assert steps == pytest.approx([steps[0]] * len(steps))
