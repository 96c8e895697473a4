"""Dates, numbers, addresses and other patterns are matched at their start."""

from __future__ import annotations

import pytest

from dodona.core.segmenting.patterns import PATTERNS, pattern_at
from dodona.segmentation.sentence_writer import code_points

FOUND = [
    ("2024-05-01", "date"),
    ("1/2/2024", "date"),
    ("01.05.2024", "date"),
    ("2024-05-01T10:30:00Z", "date"),
    ("2024-05-01T10:30:00+02:00", "date"),
    ("10:30", "time"),
    ("08:15:30", "time"),
    ("1,000.50", "number"),
    ("3.5", "number"),
    (".75", "number"),
    ("1.000.000,5", "number"),
    ("v1.2.3", "version"),
    ("v2", "version"),
    ("192.168.0.1", "version"),
    ("https://example.org/a?b=1", "address"),
    ("www.example.org", "address"),
    ("jo.doe+x@mail.example.org", "address"),
    ("example.com", "domain"),
    ("setup.py", "domain"),
    ("example.org/path/page", "domain"),
    ("song.mp3", "domain"),
    ("@maria_k", "mention"),
    ("#NoFilter", "hashtag"),
    ("/usr/local/bin", "path"),
    ("~/notes.txt", "path"),
    ("./run.sh", "path"),
    ("C:\\Temp\\x.log", "path"),
    (":-)", "emoticon"),
    (";)", "emoticon"),
    (":(((", "emoticon"),
    ("<3", "emoticon"),
    (">:-(", "emoticon"),
    ("p.m", "dotted"),
    ("z.B", "dotted"),
    ("Ph.D", "dotted"),
    ("J.R.R", "initial"),
]
NOT_FOUND = [
    "oak",
    "12",
    "#3",
    "@2",
    ":",
    "and/or",
    "/",
    "1-800",
    "(",
    "end.The",
    ":x",
    "…",
    "-",
    "~",
]


@pytest.mark.parametrize(("text", "name"), FOUND)
def test_a_pattern_is_matched_to_its_end(text: str, name: str) -> None:
    for after in ("", " ", ".", ", ", "\n", ". The"):
        assert pattern_at(code_points(text + after)) == (name, len(text)), after
    assert pattern_at(code_points("see " + text), 4) == (name, len(text) + 4)


@pytest.mark.parametrize("text", NOT_FOUND)
def test_other_text_matches_no_pattern(text: str) -> None:
    assert pattern_at(code_points(text)) is None


def test_an_initial_has_a_period_after_it() -> None:
    assert pattern_at(code_points("J. Doe")) == ("initial", 1)
    assert pattern_at(code_points("J Doe")) is None


def test_an_emoticon_inside_a_word_is_not_matched() -> None:
    assert pattern_at(code_points("x:)"), 1, after_space=False) is None
    assert pattern_at(code_points(":painting")) is None


@pytest.mark.parametrize(
    "text", ["1" * 5000, "1." * 3000, "a." * 3000, ":" * 3000, "@" + "a" * 999]
)
def test_a_match_in_long_text_is_bounded(text: str) -> None:
    found = pattern_at(code_points(text))
    assert found is None or found[1] <= len(text)


def test_a_start_outside_the_text_is_refused() -> None:
    with pytest.raises(IndexError):
        pattern_at(code_points("oak"), 3)


def test_every_pattern_has_an_example() -> None:
    assert {name for _, name in FOUND} == set(PATTERNS)
