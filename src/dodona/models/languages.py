"""Models that can be loaded, by their languages."""

from __future__ import annotations

from pathlib import Path

from dodona.languages.names import NAMES, code_of
from dodona.models import SOURCES
from dodona.models.cards import card_of
from dodona.storage import container


def find_by_language() -> dict[str, Path]:
    """Return a model for each language: that of its code, else the first that names it.

    >>> find_by_language()["en"].name
    'en.dodona'
    """
    every: dict[str, Path] = {}
    for list_all in SOURCES.values():
        every = list_all() | every
    found = {name: path for name, path in every.items() if name in NAMES}
    for name, path in every.items():
        if name not in found and (code := _language_of(path)) is not None:
            found.setdefault(code, path)
    return dict(sorted(found.items()))


def _language_of(path: Path) -> str | None:
    """Return the code of the language on the card of a model; None if it cannot be read."""
    try:
        if container.kind(path) != "model":
            return None
        return code_of(card_of(container.about(path)["record"]).language)
    except (ValueError, OSError, KeyError, TypeError):
        return None
