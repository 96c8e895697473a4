"""Cards of models: language, data and licence, stored in the model file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from dodona.settings import SettingsError
from dodona.storage import container
from dodona.storage.json_fields import has_type, read_field

NON_COMMERCIAL = re.compile(r"\bNC\b|non-?commercial", re.IGNORECASE)
KINDS = ("model", "tagger")  # of files with a record


class Card(NamedTuple):
    """A description of a model beside its training record; unknown fields are empty.

    >>> Card(licence="CC BY-NC-SA 4.0").is_commercial, Card(licence="CC BY-SA 4.0").is_commercial
    (False, True)
    """

    language: str = ""
    treebank: str = ""
    licence: str = ""
    version: str = ""

    @property
    def is_commercial(self) -> bool:
        """Return whether the licence allows commercial use."""
        return not NON_COMMERCIAL.search(self.licence)

    def check(self) -> None:
        """Raise SettingsError if a field is not one printable line.

        >>> Card("Eng\\nlish").check()
        Traceback (most recent call last):
        dodona.settings.SettingsError: language is one line of text, not 'Eng\\nlish'
        """
        for name, value in self._asdict().items():
            is_text = isinstance(value, str) and value == value.strip() and value.isprintable()
            if not is_text:
                raise SettingsError(f"{name} is one line of text, not {value!r}")


NO_CARD = Card()
_EARLY = "en-linear.dodona"  # made before files had cards
_EARLY_SHA256 = "46499f38507ed0eb1d11ed8631475c868626f4346433c492632cdbcd462886b7"
_EARLY_CARD = Card("English", "UD English EWT", "CC BY-SA 4.0")


class Recorded(Protocol):
    """An object with a record that is saved with it."""

    record: dict[str, Any]


T = TypeVar("T", bound=Recorded)


def add_card(model: T, card: Card) -> T:
    """Add the fields of a card to the record of a model, and return the model."""
    card.check()
    if given := {name: value for name, value in card._asdict().items() if value}:
        model.record["card"] = model.record.get("card", {}) | given
    return model


def card_of(record: Mapping[str, Any]) -> Card:
    """Return the card in a model's record, checked, as the file may not be trusted.

    >>> card_of({"card": {"language": "French"}}).language
    'French'
    """
    given = read_field(record, "card", dict) if "card" in record else {}
    known = {name: read_field(given, name, str) for name in Card._fields if name in given}
    card = Card(**known)
    card.check()
    return card


def find_card(path: Path, record: Mapping[str, Any]) -> Card:
    """Return the card of a model file with this record."""
    if "card" not in record and path.name == _EARLY:
        is_ours = sha256(path.read_bytes()).hexdigest() == _EARLY_SHA256
        return _EARLY_CARD if is_ours else NO_CARD
    return card_of(record)


def with_card(path: Path, card: Card) -> bytes:
    """Return the bytes of a model file with another card in its record."""
    kind = container.kind(path)
    version = container.version(path, kind)
    about, arrays = container.read(path, kind, version)
    read_field(about, "record", dict)["card"] = {k: v for k, v in card._asdict().items() if v}
    kept = {name: container.as_array(numbers) for name, numbers in arrays.items()}
    return container.to_bytes(kind, version, about, kept)


def gold_words(record: Mapping[str, Any]) -> int | None:
    """Return the number of words of gold trees that a model learned from, if it is recorded.

    >>> gold_words({"n_words": 900, "learned_from": [{"kind": "gold", "words": 500}]})
    500
    """
    sources = record.get("learned_from")
    known = [one for one in sources if isinstance(one, Mapping)] if sources else []
    counts = [one.get("words") for one in known if one.get("kind") == "gold"] or [
        record.get("n_words")
    ]
    numbers = [n for n in counts if isinstance(n, int) and has_type(n, int)]
    return sum(numbers) if numbers else None


def scores_of(record: Mapping[str, Any]) -> dict[str, float]:
    """Return the dev scores in a record: with gold words, and from raw text.

    >>> scores_of({"dev_las": 85.1, "dev_tags": {"upos": 96.0}, "dev_text": {"las": 80.2}})
    {'upos': 96.0, 'las': 85.1, 'text_las': 80.2}
    """
    tags, text = (record.get(name) for name in ("dev_tags", "dev_text"))
    tags, text = (part if isinstance(part, Mapping) else {} for part in (tags, text))
    found: dict[str, Any] = {
        "upos": tags.get("upos"),
        "uas": record.get("dev_uas"),
        "las": record.get("dev_las"),
    }
    found |= {f"text_{name}": text.get(name) for name in ("sentences", "upos", "las")}
    return {name: value for name, value in found.items() if has_type(value, float)}
