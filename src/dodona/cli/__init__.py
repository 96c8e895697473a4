"""The shell: `dodona VERB …`, one small module per verb."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any

from dodona.cli import quick
from dodona.cli.errors import run
from dodona.cli.flags import parameters

VERBS = (
    "train",
    "parse",
    "tag",
    "cluster",
    "evaluate",
    "convert",
    "info",
    "oracle",
    "experiment",
    "serve",
    "bench",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `dodona`; leaves with its exit code.

    >>> main(["parse", "no.dodona"])
    Traceback (most recent call last):
    SystemExit: 1
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(
            encoding="utf-8"
        )  # as treebanks are, also where it is not the custom
    if words == ["--version"]:
        from importlib.metadata import version

        print(f"dodona {version('dodona')}")
        sys.exit(0)
    if words and words[0] in VERBS and "_DODONA_COMPLETE" not in os.environ:
        verb = function(words[0])
        values = quick.read(words[1:], parameters(verb))
        if values is not None:
            sys.exit(run(verb, values))
    from dodona.cli import typed

    typed.app({name: function(name) for name in VERBS}, run)(words, prog_name="dodona")


def function(name: str) -> Callable[..., Any]:
    """The function of a verb: it has the verb's name, in the module of that name.

    >>> function("info").__name__
    'info'
    """
    return getattr(import_module(f"dodona.cli.verbs.{name}"), name)  # type: ignore[no-any-return]
