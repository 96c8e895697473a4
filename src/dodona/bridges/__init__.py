"""To and from the objects of other libraries, each of them an extra."""

from importlib import import_module
from typing import Any


def required(module: str, extra: str) -> Any:
    """A module that comes with an extra, or an error that says how to get it.

    >>> required("no_such_module", "spacy")
    Traceback (most recent call last):
    ImportError: this needs no_such_module: pip install "dodona[spacy]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise ImportError(
            f'this needs {error.name}: pip install "dodona[{extra}]"', name=error.name
        ) from None
