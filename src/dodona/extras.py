"""What is installed on demand: libraries that come with an extra of the package."""

from importlib import import_module
from typing import Any

from dodona.errors import DodonaError


class MissingExtraError(DodonaError, ImportError, ValueError):
    """A library that is not here, and how to get it."""


def require(module: str, extra: str) -> Any:
    """A module that comes with an extra, or an error that says how to get it.

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
