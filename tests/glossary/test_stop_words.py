"""Lists of stop words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import dodona
from dodona.glossary import stop_words as module
from dodona.glossary.stop_words import NoStopWordsError, languages

FOLDER = Path(module.__file__).parent / "stop_words"


@pytest.mark.parametrize("language", languages())
def test_lists_are_in_lower_case_without_repetitions(language: str) -> None:
    words = (FOLDER / f"{language}.txt").read_text(encoding="utf-8").split()
    assert [word for word, n in Counter(words).items() if n > 1] == []
    assert [word for word in words if word != word.lower()] == []
    assert dodona.stop_words(language) == {*words} and len(words) > 100


def test_lists_can_be_changed_into_others() -> None:
    stops = dodona.stop_words("en")
    assert {"the", "of", "n't", "myself"} <= stops and "oak" not in stops
    assert "not" not in stops - {"not"} and "oak" in stops | {"oak"}


def test_a_language_without_a_list_is_an_error_that_names_those_with_one() -> None:
    with pytest.raises(NoStopWordsError, match=r"no stop words for 'tlh', but for: cs, da, de, en"):
        dodona.stop_words("tlh")
