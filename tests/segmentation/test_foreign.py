"""Text in another language than the model's: named, in every way of parsing, once per line."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import dodona
from dodona.languages.names import name_of
from dodona.segmentation.foreign import ForeignTextWarning, find_foreign, model_language
from support.shell import Shell

GERMAN = "Unter der alten Eiche sprach ein Orakel, und niemand verstand, was es ihm sagen wollte. "
ENGLISH = "Under the old oak there spoke an oracle, and nobody understood what it wanted to say. "
LINES = (Path(__file__).parents[1] / "identifying" / "sentences.txt").read_text(encoding="utf-8")
SENTENCES = dict(line.split("\t") for line in LINES.splitlines())
TEXTS = {name_of(code): SENTENCES[code] for code in ("de", "nl", "es", "zh", "ar")}
NAMES = "Kristen Quinn, Sarah Mulholland, Samuel Pak, Daniel Kang, Jeffrey Snyder, Ryan Hinze"


@pytest.fixture(scope="module")
def parser() -> dodona.Parser:
    return dodona.load("en-small")


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_is_named_by_every_way_of_parsing(
    parser: dodona.Parser, language: str
) -> None:
    text = TEXTS[language]
    with pytest.warns(ForeignTextWarning, match=f"looks like {language}.*dodona get") as found:
        assert parser(text).is_strange
        assert [doc.is_strange for doc in parser.docs([ENGLISH, text])] == [False, True]
        assert list(parser.pipe_text(iter([text])))
    assert len(found) == 3
    assert {warning.filename for warning in found} == {__file__}


def test_english_is_not_reported(parser: dodona.Parser) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not parser(ENGLISH).is_strange
        assert not any(doc.is_strange for doc in parser.docs([ENGLISH, NAMES, "Hm.", ""]))


def test_a_line_is_warned_of_once(parser: dodona.Parser) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            parser(GERMAN)
        list(parser.docs([GERMAN] * 3))
    assert len(found) == 2, "one for each line"


def test_a_warning_can_be_an_error(parser: dodona.Parser) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ForeignTextWarning)
        with pytest.raises(ForeignTextWarning):
            parser(GERMAN)


def test_the_shell_names_the_language_once(shell: Shell) -> None:
    result = shell("parse", "en-small", stdin=(GERMAN * 3).encode())
    assert result.code == 0
    assert result.err.count("looks like German") == 1 and "dodona get de" in result.err
    assert not shell("parse", "en-small", stdin=ENGLISH.encode()).err


def test_a_model_that_names_no_language_asks_its_lexicon(parser: dodona.Parser) -> None:
    segmenter = parser.segmenter
    assert segmenter is not None
    assert find_foreign(ENGLISH * 3, None, segmenter) is None
    found = find_foreign(GERMAN * 3, None, segmenter)
    assert found is not None and found.language == "de"
    assert model_language({"card": {"language": "Klingon"}}) is None
    assert model_language({"card": 3}) is None
