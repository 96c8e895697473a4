"""The verbs of the command line: of each, a module and in it a function of its name."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dodona.cli.errors import UsageError
from dodona.cli.grammar import suggest

VERBS = (
    "train",
    "parse",
    "tag",
    "cluster",
    "distil",
    "evaluate",
    "validate",
    "grep",
    "convert",
    "draw",
    "info",
    "models",
    "package",
    "oracle",
    "experiment",
    "serve",
    "bench",
)


def load_verb(name: str) -> Callable[..., Any]:
    """The function of a verb.

    >>> load_verb("info").__name__
    'info'
    >>> load_verb("parze")
    Traceback (most recent call last):
    dodona.cli.errors.UsageError: there is no verb parze; did you mean parse?
    """
    if name not in VERBS:
        hint = suggest(name, VERBS) or f"; there are: {', '.join(VERBS)}"
        raise UsageError(f"there is no verb {name}{hint}")
    return getattr(import_module(f"dodona.cli.verbs.{name}"), name)  # type: ignore[no-any-return]
