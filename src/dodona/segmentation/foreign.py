"""Texts in another language than that of the model: found, and reported to the caller.

The identifier names the language. A text in a language that it does not know is strange if the
segmenter's lexicon knows few of its words, and so is any text for a model of such a language.
"""

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from dodona.languages.identifier import MIN_LETTERS, shipped_identifier
from dodona.languages.names import code_of, name_of
from dodona.segmentation.segmenter import Segmenter

SURE = 600  # lead of another language: 1 of 1,000 English sentences, a list of names, has it
ENOUGH = 1_000  # characters of a stream that are checked


class ForeignTextWarning(UserWarning):
    """A text that seems to be in another language than that of the model."""


class ForeignText(NamedTuple):
    """The language of a text and that of the model; None if they are unknown."""

    language: str | None
    own: str | None

    def __str__(self) -> str:
        own = name_of(self.own) if self.own else "another language"
        if self.language is None:
            known = f", which is for {own}" if self.own else ""
            return f"the text seems to be in another language than the model{known}"
        found = name_of(self.language)
        return (
            f"the text looks like {found}, but the model is for {own}; for {found}: "
            f"dodona get {self.language}"
        )


def model_language(record: Mapping[str, Any]) -> str | None:
    """Return the code of the language that the card in a model's record names, if it is known.

    >>> model_language({"card": {"language": "German"}}), model_language({})
    ('de', None)
    """
    card = record.get("card")
    name = card.get("language") if isinstance(card, Mapping) else None
    return code_of(name) if isinstance(name, str) else None


def find_foreign(text: str, own: str | None, segmenter: Segmenter) -> ForeignText | None:
    """Return what is known about a text in another language; None for any other text."""
    if len(text) < MIN_LETTERS:  # the identifier need not be loaded
        return None
    identifier = shipped_identifier()
    known = own if own in identifier.languages else None
    guess = identifier.guess(text, known)
    if guess is None or (known and guess.language == known):
        return None
    if known and guess.language and guess.lead >= SURE:
        return ForeignText(guess.language, own)
    if segmenter.is_strange(text) and (guess.language != own or own is None):
        return ForeignText(guess.language, own)
    return None


def is_foreign(text: str, record: Mapping[str, Any], segmenter: Segmenter) -> bool:
    """Return whether a text is in another language than a model, and warn the caller if so."""
    found = find_foreign(text, model_language(record), segmenter)
    if found is not None:
        warn_caller(str(found))
    return found is not None


def check_stream(
    chunks: Iterable[str], record: Mapping[str, Any], segmenter: Segmenter
) -> Iterator[str]:
    """Yield the chunks of a text; warn the caller if its beginning is in another language."""
    beginning: str | None = ""
    for chunk in chunks:
        if beginning is not None and isinstance(chunk, str):
            beginning += chunk
            if len(beginning) >= ENOUGH:
                is_foreign(beginning, record, segmenter)
                beginning = None
        yield chunk
    if beginning:
        is_foreign(beginning, record, segmenter)


def warn_caller(message: str) -> None:
    """Warn at the line outside of Dodona that led here, once for each such line by default."""
    frame = sys._getframe(1)
    while frame.f_back and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    warnings.warn_explicit(
        message,
        ForeignTextWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("dodona", "contextlib", "itertools")
