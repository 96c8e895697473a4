"""`dodona evaluate`: error analysis, reports and comparisons through the command."""

import json
from pathlib import Path

import pytest

import dodona
from support.shell import Shell


@pytest.fixture
def parsed(shell: Shell, model: Path, data: Path, tmp_path: Path) -> Path:
    out = tmp_path / "parsed.conllu"
    assert shell("parse", model, data / "test.conllu", "-o", out).code == 0
    return out


def test_errors_and_a_report(shell: Shell, data: Path, parsed: Path, tmp_path: Path) -> None:
    gold, report = data / "test.conllu", tmp_path / "report.html"
    train = ["--train", data / "train.conllu"]
    result = shell("evaluate", gold, parsed, "--errors", *train, "--report", report)
    assert result.code == 0
    assert all(name in result.out for name in ("depth in the tree", "unknown", "worst sentences"))
    assert report.read_text().count("<svg") > 1
    found = json.loads(shell("evaluate", gold, parsed, "--errors", "--json").out)
    expected = dodona.evaluate(gold, parsed)
    assert found["scores"]["las"] == expected.las
    n_wrong = sum(len(sentence["wrong"]) for sentence in found["worst"])
    assert n_wrong == round((1 - expected.las / 100) * expected.n_words)


def test_punctuation_is_told_by_what_is_asked(shell: Shell, data: Path, parsed: Path) -> None:
    gold = data / "test.conllu"
    result = shell("evaluate", gold, parsed, "--no-punctuation", "--punctuation-by", "characters")
    assert (result.code, "(told by characters)" in result.out) == (0, True)
    refused = shell("evaluate", gold, parsed, "--punctuation-by", "upos")
    assert (refused.code, "requires --no-punctuation" in refused.err) == (2, True)


def test_two_systems_from_raw_text_are_compared(shell: Shell, data: Path, parsed: Path) -> None:
    gold = data / "test.conllu"
    result = shell("evaluate", "--text", gold, parsed, gold)
    assert result.code == 0
    assert "A - B" in result.out and "over gold words" in result.out
    found = json.loads(shell("evaluate", "--text", gold, parsed, gold, "--json").out)
    assert found["comparisons"]["las"]["n_only_a"] == 0
    assert [system["las"]["f1"] for system in found["systems"]][1] == 100


@pytest.mark.parametrize(
    "options",
    [
        ["--train", "x"],
        ["--text", "--errors"],
        ["--text", "--test", "bootstrap"],
        ["--graphs", "--report", "x"],
        ["--test", "mcnemar"],
    ],
)
def test_what_does_not_go_together(shell: Shell, data: Path, options: list[str]) -> None:
    gold = data / "test.conllu"
    assert shell("evaluate", gold, gold, *options).code == 2
