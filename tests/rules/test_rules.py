"""Rules: what they accept, and errors in Python and in files, with the line."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from dodona import Rules
from dodona.rules.boundaries import SAME, SENTENCE, TOKEN, BoundaryRules
from dodona.rules.checks import RulesError
from dodona.rules.lookup import get_rules
from dodona.rules.rules_file import read_rules

GIVEN: dict[str, Any] = {
    "whole": ["c/o", "Q4"],
    "abbreviations": ["mph."],
    "split": {"10km": ["10", "km"]},
    "expand": {"zum": ["zu", "dem"]},
    "sentence_starts": [r"^\(\d\)"],
    "unbroken": [r"No\. \d"],
    "tags": [{"form": "Dodona", "upos": "PROPN", "when": "NOUN", "ignore_case": True}],
}
FILE = r"""
whole = ["c/o", "Q4"]
abbreviations = ["mph."]
sentence_starts = ['^\(\d\)']
unbroken = ["No\\. \\d"]

[split]
10km = ["10", "km"]

[expand]
zum = ["zu", "dem"]

[[tags]]
form = "Dodona"
upos = "PROPN"
when = "NOUN"
ignore_case = true
"""


def test_rules_are_values() -> None:
    rules = Rules(**GIVEN)
    assert rules == Rules(**GIVEN) and hash(rules) == hash(Rules(**GIVEN))
    assert rules != Rules() and rules != GIVEN
    assert rules.to_dict() == GIVEN and Rules().to_dict() == {}
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert repr(Rules()) == "<Rules: none>" and "2 whole" in repr(rules)
    assert rules.has_text_rules and not Rules(tags=GIVEN["tags"]).has_text_rules


@pytest.mark.parametrize("odd", ["é", '"', "'", "\\", "\x7f", "\x01", "#", "]", "=", "木"])
def test_rules_are_written_as_they_are_read(tmp_path: Path, odd: str) -> None:
    given = GIVEN | {"whole": [f"a{odd}b", odd], "split": {f"x{odd}": ["x", odd]}}
    rules = Rules(**given)
    file = tmp_path / "my.rules.toml"
    file.write_text(rules.to_toml(), encoding="utf-8")
    assert read_rules(file) == rules
    file.write_text(Rules().to_toml(), encoding="utf-8")
    assert read_rules(file) == Rules()


def test_a_file_has_the_names_of_the_keywords(tmp_path: Path) -> None:
    file = tmp_path / "en.rules.toml"
    file.write_text(FILE, encoding="utf-8")
    assert read_rules(file) == Rules(**GIVEN)
    assert get_rules(None, tmp_path / "en.dodona") == get_rules(str(file)) == Rules(**GIVEN)
    assert get_rules(None, tmp_path / "other.dodona") is None is get_rules(None)
    assert get_rules(Rules(), tmp_path / "en.dodona") == Rules()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"whole": "c/o"}, "whole is a list of strings, not 'c/o'"),
        ({"whole": [1]}, "whole is a list of strings, but has 1"),
        ({"whole": [""]}, "which is no token"),
        ({"whole": [" a"]}, "single spaces"),
        ({"whole": ["a\tb"]}, "single spaces"),
        ({"whole": ["a" * 201]}, "a token of 201 characters; the longest has 200"),
        ({"abbreviations": ["mph"]}, "ends in a period"),
        ({"split": ["10km"]}, "split is a table"),
        ({"split": {"10km": "10 km"}}, "'10km' needs a list of parts"),
        ({"split": {"10km": ["10"]}}, "1 part; give two or more"),
        ({"split": {"10km": ["10", "k"]}}, "are '10k' when joined"),
        ({"split": {"a b": ["a", " b"]}}, "a part is a word without white space"),
        ({"expand": {"a b": ["a", "b"]}}, "a multiword token has no spaces"),
        ({"expand": {"2nite": ["to", "night"]}}, "has digits"),
        ({"whole": ["zum"], "expand": GIVEN["expand"]}, "under both whole and expand"),
        ({"unbroken": ["("]}, "no regular expression: missing"),
        ({"tags": {"form": "a"}}, "tags is a list of rules"),
        ({"tags": [{"upos": "X"}]}, "rule 1 of tags has no form"),
        ({"tags": [{"form": "a"}]}, "gives no tag: add one of upos, xpos, feats, lemma"),
        ({"tags": [{"form": "a", "pos": "X"}]}, "has 'pos'; the names are: upos"),
        ({"tags": [{"form": "a", "upos": 1}]}, "has upos = 1; it is text"),
        ({"tags": [{"form": "a", "feats": "Sing"}]}, r"written Number=Sing\|Case=Nom"),
        ({"tags": [{"form": "a", "upos": "X", "ignore_case": "yes"}]}, "true or false"),
    ],
)
def test_bad_rules_are_refused_with_a_reason(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(RulesError, match=problem):
        Rules(**given)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("whole = [\n", 2, "this is not TOML"),
        ("# rules\nwhole = ]", 2, "this is not TOML: Invalid value"),
        ("\nwholes = []", 2, "unknown rules 'wholes'; there are: whole, abbreviations"),
        ('whole = [\n  "c/o",\n  " Q4",\n]', 3, "single spaces"),
        ('\n[split]\n"5km" = ["5", "km"]\n"10km" = ["10"]', 4, "give two or more"),
        ("whole = []\nunbroken = [\n'a',\n'(']", 4, "no regular expression"),
        ('unbroken = ["a",\n"\\\\d("]', 2, "no regular expression"),
        ('[[tags]]\nform = "a"\nupos = "X"\n\n[[tags]]\nform = "b"', 5, "rule 2 of tags"),
        ('whole = ["zum"]\n[expand]\nzum = ["zu", "dem"]', 3, "under both"),
    ],
)
def test_errors_in_a_file_name_the_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    file = tmp_path / "my.rules.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=problem) as found:
        read_rules(file)
    assert str(found.value).startswith(f"{file}:{line}: ")


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "my.rules.toml"
    file.write_bytes(b"# fine\nwhole = ['\xff']")
    with pytest.raises(RulesError, match=r"my\.rules\.toml:2: this is not UTF-8"):
        read_rules(file)


def labels(text: str, **given: Any) -> list[int]:
    return [*BoundaryRules(Rules(**given)).forbidden(text)]


def test_a_token_is_separated_and_kept_whole() -> None:
    inside = TOKEN | SENTENCE
    assert labels("a c/o b", whole=["c/o"]) == [0, 0, SAME, inside, inside, 0, SAME]
    assert labels("c/o,", whole=["c/o"]) == [SAME, inside, inside, SAME]
    assert labels("10km", split={"10km": ["10", "km"]}) == [
        *(SAME, inside, SAME | SENTENCE, inside),
    ]


@pytest.mark.parametrize("text", ["Q42", "aQ4", "Q4\u0301", "q4"])
def test_tokens_are_whole_words(text: str) -> None:
    assert not any(labels(text, whole=["Q4"]))


def test_abbreviations_and_multiword_tokens_match_in_any_case() -> None:
    assert any(labels("MPH.", abbreviations=["mph."])) and any(
        labels("Zum", expand=GIVEN["expand"])
    )


def test_the_longest_token_counts() -> None:
    inside = TOKEN | SENTENCE
    assert labels("a.b.c", whole=["a.b", "a.b.c"]) == [SAME, *[inside] * 4]


def test_sentences_begin_or_do_not() -> None:
    start = SAME | TOKEN
    assert labels("x\n (1) y", sentence_starts=[r"^\s*\(\d\)"])[3] == start
    assert labels("x\r\ny", sentence_starts=["^y$"])[3] == start
    assert not any(labels("x y ", sentence_starts=[" $"]))  # no word follows in the line
    assert labels("No. 5", unbroken=[r"No\. \d"]) == [0, *[SENTENCE] * 4]
    assert not any(labels("No.\n5", unbroken=[r"No\.\s\d"]))  # a match is in one line


def test_tokens_come_before_sentences_and_starts_before_unbroken_text() -> None:
    both = {"unbroken": ["a b c"], "sentence_starts": ["b"]}
    assert labels("a b c", **both)[2] == SAME | TOKEN
    assert labels("c/o", whole=["c/o"], sentence_starts=["/"])[1] == TOKEN | SENTENCE
