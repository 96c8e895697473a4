"""Other distributions: optional dependencies, and entry points that they declare for us."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dodona.errors import DodonaError
from dodona.logs import warning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class MissingExtraError(DodonaError, ImportError, ValueError):
    """An optional library that is not installed; the message says how to install it."""


def require(module: str, extra: str) -> Any:
    """Import a module of an extra, or raise MissingExtraError.

    >>> require("no_such_module", "spacy")
    Traceback (most recent call last):
    dodona.extras.MissingExtraError: this needs no_such_module: pip install "dodona[spacy]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise MissingExtraError(
            f'this needs {error.name}: pip install "dodona[{extra}]"', name=error.name
        ) from None


def find_entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, without those of distributions with a malformed file.

    >>> [point.name for point in find_entry_points("spacy_factories") if "dodona" in point.value]
    ['dodona']
    """
    from importlib import metadata  # slow to import, and seldom needed

    try:
        return list(metadata.entry_points(group=group))
    except Exception:  # of any distribution in this environment
        found: dict[str, EntryPoint] = {}
    for distribution in metadata.distributions():
        try:
            for point in distribution.entry_points.select(group=group):
                found.setdefault(point.name, point)
        except Exception as error:
            warning("an entry_points.txt cannot be read (%s): %r", distribution, error)
    return list(found.values())
