"""What is to be known of a model before it is used: language, data, licence. It is in its file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from dodona.models import PLACES, find_shipped
from dodona.storage import container
from dodona.storage.json_fields import read_field

NON_COMMERCIAL = re.compile(r"\bNC\b|non-?commercial", re.IGNORECASE)
KINDS = ("model", "tagger")  # of files that have a record


class Card(NamedTuple):
    """What a model says of itself beside how it was trained; "" where it does not say it.

    >>> Card(licence="CC BY-NC-SA 4.0").is_commercial, Card(licence="CC BY-SA 4.0").is_commercial
    (False, True)
    """

    language: str = ""
    treebank: str = ""
    licence: str = ""
    version: str = ""

    @property
    def is_commercial(self) -> bool:
        """Whether the licence has no clause against uses that earn money."""
        return not NON_COMMERCIAL.search(self.licence)

    def check(self) -> None:
        """Refuse what does not fit into a line.

        >>> Card("Eng\\nlish").check()
        Traceback (most recent call last):
        ValueError: language is one line of text, not 'Eng\\nlish'
        """
        for name, value in self._asdict().items():
            if not (value == value.strip() and value.isprintable()):
                raise ValueError(f"{name} is one line of text, not {value!r}")


UNSAID = Card()
# of models that ship, made before files had cards
_OLD = {"en-linear": Card("English", "UD English EWT", "CC BY-SA 4.0")}


class Recorded(Protocol):
    """What has a record that is saved with it."""

    record: dict[str, Any]


Model = TypeVar("Model", bound=Recorded)


def signed(model: Model, card: Card) -> Model:
    """The model, and in its record what the card says."""
    card.check()
    if given := {name: value for name, value in card._asdict().items() if value}:
        model.record["card"] = model.record.get("card", {}) | given
    return model


def card_of(record: Mapping[str, Any]) -> Card:
    """The card in a model's record; files may come from anybody.

    >>> card_of({"card": {"language": "French"}}).language
    'French'
    """
    given = read_field(record, "card", dict) if "card" in record else {}
    known = {name: read_field(given, name, str) for name in Card._fields if name in given}
    card = Card(**known)
    card.check()
    return card


def find_card(path: Path, record: Mapping[str, Any]) -> Card:
    """The card of the model in a file, whose record this is."""
    if "card" not in record:
        for name, shipped in find_shipped().items():
            if name in _OLD and shipped.samefile(path):
                return _OLD[name]
    return card_of(record)


def with_card(path: Path, card: Card) -> bytes:
    """A model's file as it is, but for the card in its record."""
    kind = container.kind(path)
    version = container.version(path, kind)
    about, arrays = container.read(path, kind, version)
    read_field(about, "record", dict)["card"] = {k: v for k, v in card._asdict().items() if v}
    kept = {name: container.as_array(numbers) for name, numbers in arrays.items()}
    return container.to_bytes(kind, version, about, kept)


@dataclass(frozen=True)
class Listed:
    """A model that a name leads to, as far as it tells without being loaded."""

    name: str
    place: str  # one of PLACES
    path: Path
    n_bytes: int = 0
    card: Card = UNSAID
    scores: Mapping[str, float] | None = None
    problem: str = ""  # why nothing else is known

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON takes it."""
        given = {name: value or None for name, value in self.card._asdict().items()}
        return {
            "name": self.name,
            **given,
            "scores": self.scores,
            "bytes": self.n_bytes,
            "found": self.place,
            "path": str(self.path),
            "problem": self.problem or None,
        }


def list_models() -> list[Listed]:
    """Every model that a name leads to, in the order in which names are looked for."""
    found: dict[str, Listed] = {}
    for place, list_all in PLACES.items():
        for name, path in list_all().items():
            if name not in found:
                found[name] = _look_at(name, place, path)
    return list(found.values())


def _look_at(name: str, place: str, path: Path) -> Listed:
    """What stands at the beginning of a file; a damaged one is no reason to hide the others."""
    try:
        about, n_bytes = container.about(path), path.stat().st_size
        record = read_field(about, "record", dict)
        return Listed(name, place, path, n_bytes, find_card(path, record), scores_of(record))
    except (ValueError, KeyError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        return Listed(name, place, path, problem=str(why).removeprefix(f"{path}: "))


def scores_of(record: Mapping[str, Any]) -> dict[str, float]:
    """The dev scores in a record: with the words given, and from raw text.

    >>> scores_of({"dev_las": 85.1, "dev_tags": {"upos": 96.0}, "dev_text": {"las": 80.2}})
    {'upos': 96.0, 'las': 85.1, 'text_las': 80.2}
    """
    tags, text = record.get("dev_tags") or {}, record.get("dev_text") or {}
    found = {"upos": tags.get("upos"), "uas": record.get("dev_uas"), "las": record.get("dev_las")}
    found |= {f"text_{name}": text.get(name) for name in ("sentences", "upos", "las")}
    return {name: value for name, value in found.items() if isinstance(value, (int, float))}
