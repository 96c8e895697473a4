"""The list of all models: those that can be loaded by name, and those that can be installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dodona.models import BESIDE, NOT_INSTALLED, SOURCES, advise_on_getting
from dodona.models.available import Problems, default_sources, find_packages
from dodona.models.cards import NO_CARD, Card, find_card, gold_words, scores_of
from dodona.models.index import PackagedModel
from dodona.storage import container
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import reporting_damage

AVAILABLE = "available"


@dataclass(frozen=True)
class ModelListing:
    """A model, described by the header of its file, by its wheel or by an index."""

    name: str
    source: str  # one of SOURCES, AVAILABLE or NOT_INSTALLED
    path: Path | str | None  # the file, or path or URL of the wheel
    n_bytes: int = 0
    card: Card = NO_CARD
    words: int | None = None  # of gold
    scores: Mapping[str, float] = field(default_factory=dict)
    problem: str = ""  # why the file cannot be read, or how to get it

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            "name": self.name,
            **{name: value or None for name, value in self.card._asdict().items()},
            "words": self.words,
            "scores": dict(self.scores) or None,
            "bytes": self.n_bytes,
            "found": self.source,
            "path": str(self.path) if self.path else None,
            "problem": self.problem or None,
        }


def list_models(problems: Problems | None = None) -> list[ModelListing]:
    """Return every model once: in the order of lookup, then what can be installed.

    What cannot be read among the latter is noted in `problems`.
    """
    found: dict[str, ModelListing] = {}
    for source, list_all in SOURCES.items():
        found |= {n: _describe(n, source, p) for n, p in list_all().items() if n not in found}
    for one in list_available(default_sources(), problems):
        found.setdefault(one.name, one)
    absent = (
        ModelListing(name, NOT_INSTALLED, None, problem=advise_on_getting(name))
        for name in BESIDE
        if name not in found
    )
    return [*found.values(), *absent]


def list_available(sources: list[str], problems: Problems | None = None) -> list[ModelListing]:
    """Return the packages of these sources, the one that would be installed for each name."""
    found: dict[str, PackagedModel] = {}
    for one in find_packages(sources, problems=[] if problems is None else problems):
        found.setdefault(one.name, one)
    return [
        ModelListing(name, AVAILABLE, one.location, one.size, one.card, one.words, one.scores)
        for name, one in sorted(found.items())
    ]


def _describe(name: str, source: str, path: Path) -> ModelListing:
    """Read the header of a file; a damaged file is listed with its problem."""
    try:
        about, n_bytes = container.about(path), path.stat().st_size
        with reporting_damage(path, "record", "get a fresh copy"):
            record = read_field(about, "record", dict)
            card, scores, words = find_card(path, record), scores_of(record), gold_words(record)
        return ModelListing(name, source, path, n_bytes, card, words, scores)
    except (ValueError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        return ModelListing(name, source, path, problem=str(why).removeprefix(f"{path}: "))
