"""Optional dependencies, which are installed with an extra of the package."""

from importlib import import_module
from typing import Any

from dodona.errors import DodonaError


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
