"""Drawings of small sentences, and a reader that recovers every arc from a drawing."""

import doctest
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import dodona
from dodona.drawing import terminal
from dodona.drawing.terminal import draw
from dodona.treebank.trees.projectivity import is_projective
from support.trees import trees

ORACLE = (
    ["The", "oracle", "spoke", "to", "travellers", "."],
    [2, 3, 0, 5, 3, 3],
    ["det", "nsubj", "root", "case", "obl", "punct"],
)
ORACLE_TAGS = ["DET", "NOUN", "VERB", "ADP", "NOUN", "PUNCT"]


def read_heads(drawing: str) -> list[int]:
    """Return the heads by following the lines back from each arrowhead."""
    rows = [line[: line.index("►")] for line in drawing.split("\n")]
    return [read_head(rows, row) for row in range(len(rows))]


def read_head(rows: list[str], row: int) -> int:
    column = len(rows[row]) - 1
    while rows[row][column] in "─│┬┴┼":
        column -= 1
    start = rows[row][column]
    if start == "●":
        return 0
    for step in [-1] * (start in "├╰") + [1] * (start in "├╭"):
        here = row + step
        while rows[here][column] in "│├":
            here += step
        if rows[here][column] in "┬┴┼":
            return here + 1
    raise AssertionError(f"the arc to row {row + 1} has no head")


def test_a_sentence() -> None:
    expected = """\
    ╭─► The         DET    det
  ╭─┴─► oracle      NOUN   nsubj
●─┼───► spoke       VERB   root
  │ ╭─► to          ADP    case
  ├─┴─► travellers  NOUN   obl
  ╰───► .           PUNCT  punct"""
    assert draw(*ORACLE, upos=ORACLE_TAGS) == expected


def test_an_arc_passes_behind_the_trunk_it_crosses() -> None:
    forms = ["Travellers", "came", "who", "asked", "."]
    deprels = ["nsubj", "root", "nsubj", "acl:relcl", "punct"]
    expected = """\
  ╭─┬───► Travellers  nsubj
●─┼─│───► came        root
  │ │ ╭─► who         nsubj
  │ ╰─┴─► asked       acl:relcl
  ╰─────► .           punct"""
    assert draw(forms, [2, 0, 4, 1, 2], deprels) == expected


def test_two_roots() -> None:
    assert draw(["So", "!"], [0, 0], ["root", "root"]) == "●─► So  root\n●─► !   root"


def test_wide_and_combining_characters_are_aligned() -> None:
    expected = """\
  ╭─┬─► 神託  nsubj
  │ ╰─► が    case
●─┴───► e\u0301!    root"""
    assert draw(["神託", "が", "e\u0301!"], [3, 1, 0], ["nsubj", "case", "root"]) == expected


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert draw(["\x1b[31mred"], [0], ["root"]) == "●─► �[31mred  root"


def test_a_narrow_terminal_gets_narrow_lanes_then_short_words() -> None:
    assert draw(*ORACLE, width=80) == draw(*ORACLE)
    lanes_moved = """\
   ╭► The         det
  ╭┴► oracle      nsubj
●─┼─► spoke       root
  │╭► to          case
  ├┴► travellers  obl
  ╰─► .           punct"""
    assert draw(*ORACLE, width=23) == lanes_moved
    assert draw(*ORACLE, width=22).split("\n")[4] == "  ├┴► travelle…  obl"
    assert draw(*ORACLE, width=1).split("\n")[4] == "  ├┴► trave…  obl"


def test_no_words_no_lines() -> None:
    assert draw([], [], []) == ""


def test_wrong_arguments_are_explained() -> None:
    with pytest.raises(ValueError, match="2 heads, but columns of 2, 1 words"):
        draw(["a", "b"], [0, 1], ["root"])
    with pytest.raises(ValueError, match=r"not form a tree: \[2, 1\]"):
        draw(["a", "b"], [2, 1], ["x", "y"])


@given(trees(max_words=30), st.sampled_from([None, 1]))
def test_every_arc_can_be_read_back(heads: list[int], width: int | None) -> None:
    words = ["w"] * len(heads)
    assert read_heads(draw(words, heads, words, width=width)) == heads


@given(trees(max_words=30))
def test_lines_meet_only_where_arcs_cross(heads: list[int]) -> None:
    words = ["w"] * len(heads)
    assert "─│" not in draw(words, heads, words) or not is_projective(heads)


@given(trees())
def test_colour_changes_nothing_else(heads: list[int]) -> None:
    forms, deprels = [f"w{h}" for h in heads], [f"to{h}" for h in heads]
    plain = draw(forms, heads, deprels, upos=forms)
    coloured = draw(forms, heads, deprels, upos=forms, colour=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain != coloured


@given(trees(), st.integers(1, 60))
def test_lines_are_no_wider_than_asked_if_words_can_be_shortened(
    heads: list[int], width: int
) -> None:
    forms = ["神" * head + "x" * 12 for head in heads]
    lines = draw(forms, heads, ["dep"] * len(heads), width=width).split("\n")
    narrowest = draw(forms, heads, ["dep"] * len(heads), width=1).split("\n")
    assert max(map(cell_len, lines)) <= max(width, *map(cell_len, narrowest))


def test_a_long_sentence() -> None:
    heads = [0, *range(1, 400)]
    assert read_heads(draw(["w"] * 400, heads, ["dep"] * 400)) == heads


def test_examples() -> None:
    results = doctest.testmod(terminal)
    assert results.attempted >= 1 and results.failed == 0


def test_a_tree_too_deep_for_lines_of_text_is_refused() -> None:
    """It would need twice as many columns as words and be unreadable."""
    deep = dodona.Sentence.from_columns(["oak"] * 600, heads=list(range(600)))
    with pytest.raises(ValueError, match=r"<memory>:1: more than 500 heads .* try to_svg"):
        deep.tree()


def test_a_word_of_a_million_letters_is_shortened() -> None:
    lines = draw(["oak" * 300_000, "speaks"], [2, 0], ["nsubj", "root"], width=40).split("\n")
    assert len(lines) == 2 and all(len(line) <= 40 for line in lines) and "oako" in lines[0]
