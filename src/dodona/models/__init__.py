"""The models that ship inside the package, by name."""

from __future__ import annotations

from pathlib import Path

SUFFIX = ".dodona"
DEFAULT = "en"
_FOLDER = Path(__file__).parent


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
    raise FileNotFoundError(explain_missing(str(model)))


def explain_missing(name: str) -> str:
    """What to say of a name that is neither a file nor a model that ships.

    >>> explain_missing("english")
    'english: no such file, and no model of that name; models that ship: en'
    """
    said = f"{name}: no such file, and no model of that name; models that ship: "
    said += ", ".join(find_shipped()) or "none"
    if any(map(str.isspace, name)):
        return f'{said}. To parse a text, pipe it: echo "…" | dodona parse {DEFAULT}'
    return said
