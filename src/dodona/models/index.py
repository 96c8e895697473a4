"""Indexes of packaged models: a JSON file beside the wheels, or at an address.

    {"format": 1, "models": [{"name": "de", "version": "3.1", "file": "dodona_de-3.1-….whl",
      "sha256": "…", "size": 3812345, "language": "German", "licence": "CC BY-SA 4.0",
      "words": 281974, "scores": {"upos": 96.1, "las": 84.2, "text_las": 82.0}}]}

A wheel lies beside its index. An index may come from anywhere: whatever it says is checked before
use, and the wheel itself is checked before it is installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dodona.errors import DodonaError
from dodona.models.cards import Card
from dodona.models.inspection import describe_wheel
from dodona.models.wheel_names import NAME, normalise, parse_wheel_name
from dodona.storage.json_fields import has_type, read_field

INDEX = "index.json"
FORMAT = 1
MAX_INDEX = 10_000_000  # bytes
_DIGEST = re.compile(r"[0-9a-f]{64}")


class BadIndexError(DodonaError, ValueError):
    """An index that is damaged or hostile; the message names it and the reason."""


@dataclass(frozen=True)
class PackagedModel:
    """A wheel that can be installed, as its index or the wheel itself describes it."""

    name: str
    version: str
    location: str  # path or URL of the wheel
    card: Card
    size: int  # bytes of the wheel
    words: int | None = None  # of gold
    scores: Mapping[str, float] = field(default_factory=dict)
    sha256: str = ""  # "": unknown

    @property
    def is_remote(self) -> bool:
        """Return whether the wheel must be downloaded."""
        return is_url(self.location)

    @property
    def file_name(self) -> str:
        """Return the file name of the wheel."""
        return file_name_of(self.location)


def is_url(location: str) -> bool:
    """Return whether a location is a URL, of whatever kind.

    >>> is_url("https://example.org/index.json"), is_url("models/index.json")
    (True, False)
    """
    return "://" in location


def file_name_of(location: str) -> str:
    """Return the last part of a path or URL.

    >>> file_name_of("https://example.org/dodona_de-3.1-py3-none-any.whl?download=1")
    'dodona_de-3.1-py3-none-any.whl'
    """
    if not is_url(location):
        return Path(location).name
    return unquote(urlsplit(location).path).rpartition("/")[2]


def parse_index(text: str, where: str) -> list[PackagedModel]:
    """Return the models of an index; `where` is its path or URL, in whose folder the wheels are.

    >>> parse_index('{"format": 1, "models": []}', "models/index.json")
    []
    >>> parse_index("[]", "models/index.json")
    Traceback (most recent call last):
    dodona.models.index.BadIndexError: models/index.json: not an index of models...
    """
    try:
        about = json.loads(text)
        if read_field(about, "format", int) != FORMAT:
            raise BadIndexError(f"{where}: made for another version of Dodona; update Dodona")
        return [_parse_entry(entry, where) for entry in read_field(about, "models", list)]
    except BadIndexError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise BadIndexError(f"{where}: not an index of models, or damaged ({reason})") from None


def _parse_entry(entry: Any, where: str) -> PackagedModel:
    name, version, file, digest = (
        read_field(entry, key, str) for key in ("name", "version", "file", "sha256")
    )
    wheel = parse_wheel_name(file)
    if wheel is None or wheel.version != version or not NAME.fullmatch(name):
        raise ValueError(f"{file!r} is not the wheel of {name!r} {version!r}")
    if wheel.key != normalise(name) or not _DIGEST.fullmatch(digest):
        raise ValueError(f"name or checksum of {file!r} is wrong")
    size, words, scores = (entry.get(key) for key in ("size", "words", "scores"))
    if not has_type(size, int) or size < 1 or not (words is None or has_type(words, int)):
        raise ValueError(f"size or words of {file!r} is wrong")
    scores = scores if isinstance(scores, Mapping) else {}
    kept = {str(k): float(v) for k, v in scores.items() if has_type(v, float)}
    card = Card(read_field(entry, "language", str), "", read_field(entry, "licence", str), version)
    card.check()
    folder = where.rpartition("/")[0] if is_url(where) else str(Path(where).parent)
    return PackagedModel(name, version, f"{folder}/{file}", card, size, words, kept, digest)


def describe_file(path: Path) -> PackagedModel:
    """Return what a wheel says about itself; its bytes are not checked."""
    found = describe_wheel(path)
    size = path.stat().st_size
    return PackagedModel(
        found.name, found.version, str(path), found.card, size, found.words, found.scores
    )


def make_index(folder: Path) -> str:
    """Return the index of all wheels of models in a folder, as JSON."""
    paths = [path for path in sorted(folder.glob("*.whl")) if parse_wheel_name(path.name)]
    entries = [_entry(describe_file(path), path) for path in paths]
    entries.sort(key=lambda entry: (entry["name"], entry["version"]))
    about = {"format": FORMAT, "models": entries}
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


def _entry(found: PackagedModel, path: Path) -> dict[str, Any]:
    shown = ("upos", "las", "text_las")
    return {
        "name": found.name,
        "version": found.version,
        "file": path.name,
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "size": found.size,
        "language": found.card.language,
        "licence": found.card.licence,
        "words": found.words,
        "scores": {name: round(found.scores[name], 2) for name in shown if name in found.scores},
    }
