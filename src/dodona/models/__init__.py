"""Lookup of models by path or name.

A name is looked up among the models that ship, then in the folders of `DODONA_MODELS`, then in
installed packages, which declare their models by entry points. Entry points come last, since
reading them takes longer than parsing a sentence. `BESIDE` names models of ours that do not ship.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dodona.core.base.values import to_str
from dodona.errors import DodonaError
from dodona.languages.names import NAMES

SUFFIX = ".dodona"
RULES = ".rules.toml"  # in place of SUFFIX: the user's rules for a model, in a file beside it
DEFAULT = "en"
AUTO = "auto"  # stands for the model of the language of each text
FOLDERS = "DODONA_MODELS"  # folders of models, separated as in PATH
OLD_PREFIX = "dodona_model_"  # of packages made before version 3.1; since then, "dodona_"
GROUP = "dodona_models"  # entry points: the name of a model, and the package with its file
_FOLDER = Path(__file__).parent
BESIDE = {  # models in the folder models/ of the repository, with how to get them
    "en-large": "dodona get en-large",
    "en-linear": f"give its path, models/en-linear{SUFFIX}, or set {FOLDERS}=models",
}


class NoModelError(DodonaError, FileNotFoundError):
    """A name that is neither a file nor a model."""


def find_shipped() -> dict[str, Path]:
    """Return the models that ship, by name."""
    return _list(_FOLDER)


def find_in_folders() -> dict[str, Path]:
    """Return the models in the folders of `DODONA_MODELS`; the first of a name wins."""
    found: dict[str, Path] = {}
    for folder in filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)):
        found = _list(Path(folder)) | found
    return found


def find_packaged() -> dict[str, Path]:
    """Return the models of installed packages, without importing any of them."""
    from dodona.extras import find_entry_points

    found: dict[str, Path] = {}
    points = sorted(find_entry_points(GROUP), key=lambda point: point.value.startswith(OLD_PREFIX))
    for point in points:
        if (folder := _find_package(point.value)) is not None:
            found.setdefault(point.name, folder / f"{point.name}{SUFFIX}")
    return found


SHIPPED, INSTALLED = "models that ship", "installed"
NOT_INSTALLED = "not installed"
SOURCES: dict[str, Callable[[], dict[str, Path]]] = {  # in the order of lookup
    SHIPPED: find_shipped,
    f"in {FOLDERS}": find_in_folders,
    INSTALLED: find_packaged,
}


def locate(model: str | Path) -> Path:
    """Return the file of a model, given by path or name.

    >>> locate("en").name
    'en.dodona'
    """
    name = to_str(model, "a model")
    path = Path(name)
    if path.exists() and not path.is_dir():
        return path
    if (named := find(name)) is not None:
        return named
    raise NoModelError(explain_missing(name))


def find(name: str) -> Path | None:
    """Return the file of the model of this name, or None."""
    return next((path for list_all in SOURCES.values() if (path := list_all().get(name))), None)


def find_rules(model: Path) -> Path | None:
    """Return the file of rules beside the file of a model, or None."""
    path = model.with_name(model.name.removesuffix(SUFFIX) + RULES)
    return path if path.is_file() else None


def explain_missing(name: str) -> str:
    """Return an error message for a name that is neither a file nor a model.

    >>> explain_missing("english")
    'english: no such file, and no model of that name; models that ship: en...'
    >>> explain_missing("de")
    'de: the model for German is not installed; to install it: dodona get de'
    """
    if name in BESIDE:
        return f"{name}: {advise_on_getting(name)}"
    if name == AUTO:
        return (
            f"{AUTO}: stands for the models of several languages, by which only `dodona parse` and "
            "dodona.load parse texts"
        )
    if name in NAMES:
        return (
            f"{name}: the model for {NAMES[name]} is {NOT_INSTALLED}; to install it: "
            f"dodona get {name}"
        )
    if Path(name).is_dir():
        return f"{name}: this is a folder, and no model has that name; expected a model"
    known = {source: ", ".join(list_all()) for source, list_all in SOURCES.items()}
    listed = [f"{source}: {names}" for source, names in known.items() if names]
    problem = f"{name}: no such file, and no model of that name; "
    return problem + "; ".join(listed) + advise_on_text(name)


def advise_on_getting(name: str) -> str:
    """Return how to get a model of `BESIDE` that was not found."""
    return f"{NOT_INSTALLED}; in a copy of Dodona's repository: {BESIDE[name]}"


def advise_on_text(name: str) -> str:
    """Return advice if a name looks like a text, else an empty string.

    >>> advise_on_text("notes.txt"), advise_on_text("Oaks speak.")
    ('', '. To parse a text, pipe it: echo "…" | dodona parse en')
    """
    is_text = any(map(str.isspace, name))
    return f'. To parse a text, pipe it: echo "…" | dodona parse {DEFAULT}' if is_text else ""


def _find_package(name: str) -> Path | None:
    """Return the folder of a package, or None if it is not installed."""
    from importlib.util import find_spec

    outer, *inner = name.split(".")
    try:
        spec = find_spec(outer)  # `find_spec` of a subpackage would import its parent
    except (ImportError, ValueError):
        return None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return Path(folders[0], *inner) if folders else None


def _list(folder: Path) -> dict[str, Path]:
    paths = (path for path in folder.glob(f"*{SUFFIX}") if path.is_file())  # a pipe would block
    found = {path.name.removesuffix(SUFFIX): path for path in paths}
    return dict(sorted(found.items()))
