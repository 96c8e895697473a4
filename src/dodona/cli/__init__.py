"""The shell: `dodona VERB …`, one small module per verb."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from dodona.cli.errors import MISUSED, UsageError, run, say
from dodona.cli.flags import parameters
from dodona.cli.grammar import Line
from dodona.cli.program import program
from dodona.cli.shells import COMPLETING
from dodona.cli.verbs import load_verb


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `dodona`; leaves with its exit code.

    >>> main(["parse", "no.dodona"])
    Traceback (most recent call last):
    SystemExit: 1
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.isatty():
        # as treebanks are, also where it is not the custom
        sys.stdout.reconfigure(encoding="utf-8")
    if COMPLETING in os.environ:
        from dodona.cli.completion import complete

        for word in complete(words):
            print(word)
        sys.exit(0)
    sys.exit(_start(words))


def _start(words: list[str]) -> int:
    """Do what the words say, and return the exit code."""
    command, verb, n_names = "dodona", program, 0
    try:
        if words and not words[0].startswith("-"):
            command, verb, n_names = f"dodona {words[0]}", load_verb(words[0]), 1
        line = Line(words[n_names:], parameters(verb))
        if not words or line.texts.get("help"):
            from dodona.cli.help import print_page

            print_page(command, verb)
            return 0 if words else MISUSED
        values = line.values()
        del values["help"]
    except UsageError as error:
        say(f"{command}: {error}\nTry '{command} --help'.")
        return MISUSED
    return run(verb, values)
