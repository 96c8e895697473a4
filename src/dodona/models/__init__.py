"""Models by name, wherever they are: everything that asks for one finds it by `locate`.

A path is taken as it is. A name is looked for among the models that ship, then in the folders of
`DODONA_MODELS`, then in installed packages, which name theirs by entry points: they are asked last,
since to read them takes longer than to parse a sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dodona.errors import DodonaError

SUFFIX = ".dodona"
DEFAULT = "en"
FOLDERS = "DODONA_MODELS"  # folders of models, separated as those of PATH are
GROUP = "dodona_models"  # entry points: the name of a model, and the package whose folder has it
_FOLDER = Path(__file__).parent


class NoModelError(DodonaError, FileNotFoundError):
    """Neither a file nor the name of a model."""


def find_shipped() -> dict[str, Path]:
    """The models that ship, by name.

    >>> "en" in find_shipped()
    True
    """
    return _list(_FOLDER)


def find_in_folders() -> dict[str, Path]:
    """The models in the folders that `DODONA_MODELS` names; of two with one name, the first."""
    found: dict[str, Path] = {}
    for folder in filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)):
        found = _list(Path(folder)) | found
    return found


def find_packaged() -> dict[str, Path]:
    """The models of installed packages. Nothing of a package is run, or even imported."""
    from importlib.metadata import entry_points

    found: dict[str, Path] = {}
    for point in entry_points(group=GROUP):
        if (folder := _find_package(point.value)) is not None:
            found.setdefault(point.name, folder / f"{point.name}{SUFFIX}")
    return found


# where names are looked for, in this order, and what each is called
SHIPPED, INSTALLED = "models that ship", "installed"
PLACES: dict[str, Callable[[], dict[str, Path]]] = {
    SHIPPED: find_shipped,
    f"in {FOLDERS}": find_in_folders,
    INSTALLED: find_packaged,
}


def locate(model: str | Path) -> Path:
    """The file of a model that is given by its path or by its name.

    >>> locate("en").name
    'en.dodona'
    """
    path = Path(model)
    if path.exists() and not path.is_dir():
        return path
    if (named := find(str(model))) is not None:
        return named
    raise NoModelError(explain_missing(str(model)))


def find(name: str) -> Path | None:
    """The file of the model of this name, if there is one."""
    for list_all in PLACES.values():
        if (path := list_all().get(name)) is not None:
            return path
    return None


def explain_missing(name: str) -> str:
    """What to say of a name that is neither a file nor a model.

    >>> explain_missing("english")
    'english: no such file, and no model of that name; models that ship: en...'
    """
    if Path(name).is_dir():
        return f"{name}: this is a folder, and no model has that name; expected a model"
    there = {place: ", ".join(list_all()) for place, list_all in PLACES.items()}
    listed = [f"{place}: {names}" for place, names in there.items() if names]
    said = f"{name}: no such file, and no model of that name; " + "; ".join(listed)
    return said + advise_on_text(name)


def advise_on_text(name: str) -> str:
    """What to say of a name that looks like a text.

    >>> advise_on_text("notes.txt"), advise_on_text("Oaks speak.")
    ('', '. To parse a text, pipe it: echo "…" | dodona parse en')
    """
    is_text = any(map(str.isspace, name))
    return f'. To parse a text, pipe it: echo "…" | dodona parse {DEFAULT}' if is_text else ""


def _find_package(name: str) -> Path | None:
    """The folder of a package, if it is installed."""
    from importlib.util import find_spec

    outer, *inner = name.split(".")
    try:
        spec = find_spec(outer)  # of a package within another one, that would be imported
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0], *inner) if places else None


def _list(folder: Path) -> dict[str, Path]:
    found = {path.name.removesuffix(SUFFIX): path for path in folder.glob(f"*{SUFFIX}")}
    return dict(sorted(found.items()))
