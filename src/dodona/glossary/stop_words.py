"""Stop words: frequent words that say little about what a text is about, a list per language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dodona.errors import DodonaError

_FOLDER = Path(__file__).parent / "stop_words"


class NoStopWordsError(DodonaError, ValueError):
    """A language that has no list."""


def languages() -> list[str]:
    """Return the codes of the languages that have a list.

    >>> "en" in languages()
    True
    """
    return sorted(path.stem for path in _FOLDER.glob("*.txt"))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, in lower case; "en", "de", "fr" and others.

    The set is a start: `stop_words("en") | {"oak"} - {"not"}` is a list of one's own. For languages
    without a list, `Word.is_stop` decides by the tag of a word.

    >>> stops = stop_words("en")
    >>> [word for word in ["The", "oak", "of", "Zeus"] if word.lower() not in stops]
    ['oak', 'Zeus']
    """
    known = languages()
    if language not in known:
        raise NoStopWordsError(
            f"there are no stop words for {language!r}, but for: {', '.join(known)}; in other "
            "languages, word.is_stop decides by UPOS"
        )
    return frozenset((_FOLDER / f"{language}.txt").read_text(encoding="utf-8").split())
