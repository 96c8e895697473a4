"""Drawings are read back as XML: every word, arc and label is where it should be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona.drawing.html import page
from dodona.drawing.measurements import is_right_to_left, width
from dodona.drawing.svg import Arc, draw

FORMS = ["The", "oracle", "spoke", "to", "travellers", "."]
ARCS = [
    Arc(2, "det", 1),
    Arc(3, "nsubj", 2),
    Arc(0, "root", 3),
    Arc(5, "case", 4),
    Arc(3, "obl", 5),
    Arc(3, "punct", 6),
]
SIZES = {"form": 16, "tag": 11, "label": 11}


class Box:
    """The bounding box of a text."""

    def __init__(self, element: ElementTree.Element) -> None:
        self.kind = element.get("class", "")
        self.text = element.text or ""
        size = SIZES[self.kind]
        half = width(self.text, size) / 2
        self.x, self.y = float(element.get("x", "")), float(element.get("y", ""))
        self.left, self.right = self.x - half, self.x + half
        self.top, self.bottom = self.y - 0.72 * size, self.y

    def overlaps(self, other: Box) -> bool:
        """Return whether two boxes overlap by more than rounding errors."""
        return (
            min(self.right, other.right) - max(self.left, other.left) > 0.3
            and min(self.bottom, other.bottom) - max(self.top, other.top) > 0.3
        )


class Picture:
    """The parsed content of a drawing."""

    def __init__(self, svg: str) -> None:
        self.svg = ElementTree.fromstring(svg)
        self.width, self.height = (
            float(self.svg.get("width", "")),
            float(self.svg.get("height", "")),
        )
        self.words = {int(g.get("data-id", "")): g for g in self.groups("word")}
        self.arcs = list(self.groups("arc"))
        self.boxes = [Box(text) for text in self.svg.iter(svg_name("text"))]

    def groups(self, kind: str) -> Iterator[ElementTree.Element]:
        for group in self.svg.iter(svg_name("g")):
            if group.get("class", "").split()[0] == kind:
                yield group

    def form(self, word: int) -> Box:
        return Box(next(self.words[word].iter(svg_name("text"))))

    def rows(self) -> list[list[Box]]:
        """The forms of each row, from top to bottom."""
        found: dict[float, list[Box]] = {}
        for word in self.words:
            found.setdefault(self.form(word).y, []).append(self.form(word))
        return [found[y] for y in sorted(found)]


def svg_name(tag: str) -> str:
    return f"{{http://www.w3.org/2000/svg}}{tag}"


def lines(arc: ElementTree.Element) -> list[tuple[float, float]]:
    """Return the x coordinates and lower ends of the vertical lines of an arc."""
    paths = [
        path.get("d", "") for path in arc.iter(svg_name("path")) if path.get("class") == "line"
    ]
    found = re.findall(r"M([\d.]+),([\d.]+)V([\d.]+)", "".join(paths))
    return [(float(x), max(float(y1), float(y2))) for x, y1, y2 in found]


def arrows(arc: ElementTree.Element) -> list[tuple[float, float]]:
    paths = [path for path in arc.iter(svg_name("path")) if path.get("class") == "arrow"]
    tips = [re.match(r"M([\d.]+),([\d.]+)", path.get("d", "")) for path in paths]
    return [(float(tip[1]), float(tip[2])) for tip in tips if tip]


@st.composite
def graphs(draw_: st.DrawFn, max_words: int = 14) -> tuple[list[str], list[Arc]]:
    """Any words with any arcs: crossing, several to a word, the same ones twice."""
    words = st.sampled_from(["a", "oak", "whisper", "神託", "prophecies", "."])
    labels = st.sampled_from(["det", "nsubj", "nmod:poss", "x"])
    forms = draw_(st.lists(words, min_size=1, max_size=max_words))
    numbers = st.integers(1, len(forms))
    pairs = st.tuples(st.integers(0, len(forms)), labels, numbers)
    arcs = draw_(st.lists(pairs.filter(lambda arc: arc[0] != arc[2]), max_size=2 * len(forms)))
    return forms, [Arc(*arc) for arc in arcs]


@st.composite
def projective_trees(draw_: st.DrawFn, max_words: int = 40) -> tuple[list[str], list[Arc]]:
    n_words = draw_(st.integers(1, max_words))
    heads: dict[int, int] = {}
    parts = [(1, n_words, 0)]
    while parts:
        first, last, head = parts.pop()
        if first <= last:
            word = draw_(st.integers(first, last))
            heads[word] = head
            parts += [(first, word - 1, word), (word + 1, last, word)]
    labels = st.sampled_from(["det", "nsubj", "nmod:poss", "acl:relcl"])
    arcs = [Arc(heads[i], draw_(labels), i) for i in range(1, n_words + 1)]
    return [draw_(st.sampled_from(["a", "oak", "prophecies"])) for _ in range(n_words)], arcs


def test_words_and_arcs_carry_their_data() -> None:
    tags = ["DET", "NOUN", "VERB", "ADP", "NOUN", "PUNCT"]
    picture = Picture(draw(FORMS, [ARCS[0]._replace(kind="wrong"), *ARCS[1:]], tags=tags))
    assert list(picture.words) == [1, 2, 3, 4, 5, 6]
    texts = [[text.text for text in word.iter(svg_name("text"))] for word in picture.words.values()]
    assert texts == [list(pair) for pair in zip(FORMS, tags, strict=True)]
    assert all(word.get("tabindex") == "0" for word in picture.words.values())
    keys = ("class", "data-head", "data-label", "data-dependent")
    assert [tuple(arc.get(key) for key in keys) for arc in picture.arcs] == [
        (f"arc{' wrong' if i == 0 else ''}", str(arc.head), arc.label, str(arc.dependent))
        for i, arc in enumerate(ARCS)
    ]


def test_a_drawing_has_a_text_for_screen_readers() -> None:
    svg = Picture(draw(FORMS, ARCS)).svg
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == "The oracle spoke to travellers ."
    titled = Picture(draw(FORMS, ARCS, title="Line 3 < 4")).svg
    assert titled.get("aria-label") == titled.findtext(svg_name("title")) == "Line 3 < 4"


def test_the_style_is_included_unless_the_page_has_it() -> None:
    assert "prefers-color-scheme:dark" in draw(FORMS, ARCS)
    assert "<style" not in draw(FORMS, ARCS, standalone=False)
    written = page([(draw(FORMS, ARCS, standalone=False), f"{i} < 3") for i in range(3)], "a & b")
    assert written.count("<style") == 1 and written.count("<svg") == 3
    assert "<title>a &amp; b</title>" in written and "2 &lt; 3</figcaption>" in written


@given(graphs(), st.sampled_from([None, 150, 400]))
def test_arcs_begin_and_end_at_their_words(
    graph: tuple[list[str], list[Arc]], most: int | None
) -> None:
    forms, arcs = graph
    picture = Picture(draw(forms, arcs, width=most))
    for arc, drawn in zip(arcs, picture.arcs, strict=True):
        uprights = lines(drawn)
        words = [word for word in (arc.head, arc.dependent) if word]
        assert len(uprights) == len(words)
        for word in words:
            box = picture.form(word)
            n_ends = sum((word == a.head) + (word == a.dependent) for a in arcs)
            room = max(box.right - box.left, 9 * n_ends) / 2
            assert any(abs(x - box.x) <= room and 0 < box.top - y < 20 for x, y in uprights), (
                f"{arc} does not reach word {word}"
            )
        (tip,) = arrows(drawn)
        assert tip[0] in [x for x, _ in uprights]
        assert 0 < picture.form(arc.dependent).top - tip[1] < 12


@given(graphs(), st.sampled_from([None, 150, 400]))
def test_no_text_lies_on_another(graph: tuple[list[str], list[Arc]], most: int | None) -> None:
    forms, arcs = graph
    picture = Picture(draw(forms, arcs, tags=["NOUN"] * len(forms), width=most))
    for one, other in combinations(picture.boxes, 2):
        assert not one.overlaps(other), f"{one.text} and {other.text}"


@given(graphs(), st.sampled_from([None, 150, 400]))
def test_everything_is_inside_the_picture(
    graph: tuple[list[str], list[Arc]], most: int | None
) -> None:
    forms, arcs = graph
    picture = Picture(draw(forms, arcs, width=most))
    for box in picture.boxes:
        assert box.left >= 0 and box.right <= picture.width, box.text
        assert box.top >= 0 and box.bottom <= picture.height, box.text


@given(graphs(30), st.sampled_from([200, 400, 800]))
def test_rows_are_no_wider_than_asked(graph: tuple[list[str], list[Arc]], most: int) -> None:
    forms, arcs = graph
    picture = Picture(draw(forms, arcs, width=most))
    one_word_rows = any(len(row) == 1 for row in picture.rows())
    assert picture.width <= most or one_word_rows
    read = [box.text for row in picture.rows() for box in row]
    assert read == forms  # in order, row by row


@pytest.mark.thorough
@given(projective_trees())
def test_arcs_of_a_projective_tree_do_not_cross(tree: tuple[list[str], list[Arc]]) -> None:
    forms, arcs = tree
    picture = Picture(draw(forms, arcs))
    uprights = [x for arc in picture.arcs for x, _ in lines(arc)]
    assert len(set(uprights)) == len(uprights)
    shapes = [shape(arc) for arc in picture.arcs]
    for (left, right, y), (left2, right2, y2) in combinations(shapes, 2):
        if y == y2:
            assert right <= left2 or right2 <= left
        elif max(left, left2) < min(right, right2):  # one over the other: it must enclose it
            low, high = sorted([(-y, left, right), (-y2, left2, right2)])
            assert (high[1] <= low[1] and low[2] <= high[2]) or high[1] == high[2]


def shape(arc: ElementTree.Element) -> tuple[float, float, float]:
    """Return the left and right ends of an arc in one row, and the y coordinate of its label."""
    xs = [x for x, _ in lines(arc)]
    return min(xs), max(xs), Box(next(arc.iter(svg_name("text")))).y


def test_heights_are_as_low_as_nesting_allows() -> None:
    def levels(arcs: list[Arc]) -> list[float]:
        heights = [shape(arc)[2] for arc in Picture(draw(["oak"] * 6, arcs)).arcs]
        return [round((max(heights) - y) / 19) for y in heights]

    assert levels([Arc(1, "x", 2), Arc(2, "x", 3), Arc(3, "x", 4)]) == [0, 0, 0]
    assert levels([Arc(1, "x", 6), Arc(2, "x", 3), Arc(4, "x", 5)]) == [1, 0, 0]
    assert levels([Arc(1, "x", 3), Arc(2, "x", 5), Arc(5, "x", 6)]) == [0, 1, 0]
    assert levels([Arc(1, "x", 2), Arc(1, "y", 2), Arc(2, "z", 1)]) == [0, 1, 2]


def test_a_label_avoids_crossing_arcs() -> None:
    arcs = [Arc(1, "obl", 5), Arc(3, "x", 9)]
    drawn = Picture(draw(["prophecies"] * 9, arcs))
    label = Box(next(drawn.arcs[0].iter(svg_name("text"))))
    crossing = min(x for x, _ in lines(drawn.arcs[1]))
    assert crossing <= label.left or label.right <= crossing
    assert 0 < drawn.form(3).x - label.x < 60 or 0 < label.x - drawn.form(3).x < 60


def test_an_arc_over_several_rows_has_its_label_in_each() -> None:
    picture = Picture(draw(["prophecies"] * 12, [Arc(1, "nsubj", 12), Arc(1, "obj", 2)], width=420))
    assert len(picture.rows()) == 3
    far, near = picture.arcs
    assert [text.text for text in far.iter(svg_name("text"))] == ["nsubj"] * 3
    assert len(list(near.iter(svg_name("text")))) == 1
    assert len(arrows(far)) == 1


def test_rows_fill_the_width_and_the_last_is_not_short() -> None:
    rows = Picture(draw(["whisper"] * 21, [], width=1200)).rows()
    assert [len(row) for row in rows] == [13, 8]  # not 14 and 7


def test_words_from_right_to_left() -> None:
    forms = ["שאלתי", "את", "האלון", "."]
    picture = Picture(draw(forms, [Arc(1, "obj", 3), Arc(3, "case", 2)]))
    places = [picture.form(word).x for word in (1, 2, 3, 4)]
    assert places == sorted(places, reverse=True)
    assert picture.svg.get("direction") == "rtl"
    assert Picture(draw(FORMS, ARCS)).svg.get("direction") is None
    assert is_right_to_left(forms) and not is_right_to_left(["123", "."])


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("iiii", 12, 20),
        ("WWWW", 50, 65),
        ("神託", 30, 34),
        ("e\u0301\u0323", 7, 10),
        ("한국", 30, 34),
        ("\u1112\u1161\u11ab", 14, 18),
        ("👨\u200d👩\u200d👧", 16, 24),
        ("👍🏽", 16, 24),
    ],
)
def test_widths_are_sensible(text: str, least: float, most: float) -> None:
    assert least <= width(text, 16) <= most


@given(st.text(), st.text())
def test_any_text_is_escaped(form: str, label: str) -> None:
    svg = draw([form, "<b>"], [Arc(2, label, 1, '"&')], tags=[label, form], title=form)
    svg.encode()
    picture = Picture(svg)
    assert len(picture.words) == 2 and len(picture.arcs) == 1
    assert picture.form(2).text == "<b>"
    assert picture.arcs[0].get("class") == 'arc "&'


def test_what_xml_does_not_allow_is_replaced() -> None:
    assert Picture(draw(["o\x00ak\ud800\uffff"], [])).form(1).text == "o\ufffdak\ufffd\ufffd"


def test_equal_input_equal_bytes() -> None:
    assert draw(FORMS, ARCS, width=200) == draw(tuple(FORMS), iter(ARCS), width=200)
    assert draw(FORMS, [tuple(arc) for arc in ARCS]) == draw(FORMS, ARCS)  # type: ignore[misc]


def test_no_words_no_arcs() -> None:
    picture = Picture(draw([], []))
    assert not picture.words and picture.width > 0


def test_wrong_arguments_are_explained() -> None:
    with pytest.raises(ValueError, match="2 words, but 1 tags"):
        draw(["a", "b"], [], tags=["X"])
    with pytest.raises(ValueError, match=r"Arc\(head=3.* leads outside the sentence.* 2 words"):
        draw(["a", "b"], [Arc(3, "x", 1)])
    with pytest.raises(ValueError, match="from a word to itself"):
        draw(["a", "b"], [Arc(1, "x", 1)])


def test_a_long_sentence_keeps_every_word() -> None:
    arcs = [Arc(max(0, i - 1 - i % 7), "dep", i) for i in range(1, 601)]
    picture = Picture(draw(["oak"] * 600, arcs, width=900))
    assert len(picture.words) == len(picture.arcs) == 600
    assert picture.width <= 900
