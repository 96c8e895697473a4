"""The models that ship inside the package, by name."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from dodona.errors import DodonaError

SUFFIX = ".dodona"
DEFAULT = "en"
_FOLDER = Path(__file__).parent


class NoModelError(DodonaError, FileNotFoundError):
    """Neither a file nor a model that ships."""


class Card(NamedTuple):
    """What is to be known of a model that ships, beside what it records itself."""

    language: str
    treebank: str
    licence: str


CARDS = {"en": Card("English", "UD English EWT", "CC BY-SA 4.0")}


def find_shipped() -> dict[str, Path]:
    """The models that ship, by name.

    >>> "en" in find_shipped()
    True
    """
    return {path.name.removesuffix(SUFFIX): path for path in sorted(_FOLDER.glob(f"*{SUFFIX}"))}


def locate(model: str | Path) -> Path:
    """The file of a model that is given by its path or, if it ships, by its name.

    >>> locate("en").name
    'en.dodona'
    """
    path = Path(model)
    if path.exists():
        return path
    named = find_shipped()
    if str(model) in named:
        return named[str(model)]
    raise NoModelError(explain_missing(str(model)))


def explain_missing(name: str) -> str:
    """What to say of a name that is neither a file nor a model that ships.

    >>> explain_missing("english")
    'english: no such file, and no model of that name; models that ship: en'
    """
    said = f"{name}: no such file, and no model of that name; models that ship: "
    said += ", ".join(find_shipped()) or "none"
    return said + advise_on_text(name)


def advise_on_text(name: str) -> str:
    """What to say of a name that looks like a text.

    >>> advise_on_text("notes.txt"), advise_on_text("Oaks speak.")
    ('', '. To parse a text, pipe it: echo "…" | dodona parse en')
    """
    is_text = any(map(str.isspace, name))
    return f'. To parse a text, pipe it: echo "…" | dodona parse {DEFAULT}' if is_text else ""
