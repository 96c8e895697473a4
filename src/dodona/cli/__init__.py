"""The command line: `dodona VERB ...`, one small module per verb."""

import gc
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command `dodona`, and exit with its exit code.

    >>> main(["parse", "no.dodona"])
    Traceback (most recent call last):
    SystemExit: 1
    """
    if arguments is not None:
        sys.exit(start(list(arguments)))
    # Starting creates no garbage, and the process ends right after the work: without garbage
    # collection in either, parsing one sentence takes a seventh less time.
    gc.disable()
    try:
        sys.exit(start(sys.argv[1:]))
    finally:
        gc.freeze()


def start(words: list[str]) -> int:
    """Run the command that these words give, and return its exit code."""
    from functools import partial

    from dodona.cli.errors import FAILED, MISUSED, UsageError, VerbError, run, say
    from dodona.cli.flags import parameters
    from dodona.cli.grammar import CommandLine
    from dodona.cli.program import COMPLETING, choose, program
    from dodona.cli.streams import set_up

    set_up()
    if COMPLETING in os.environ:
        from dodona.cli.program import complete

        for word in complete(words):
            print(word)
        return 0
    command = "dodona"
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    elif words == ["version"]:
        words = ["--version"]
    try:
        verb, rest = choose(words)
        if verb is not program:
            command = f"dodona {words[0]}"
        line = CommandLine(rest, parameters(verb))
        if not words or "help" in line.texts:
            from dodona.cli.help import print_page

            return run(partial(print_page, command, verb)) or (0 if words else MISUSED)
        values = line.values()
    except UsageError as error:
        say(f"{command}: {error}\nTry '{command} --help'.")
        return MISUSED
    except VerbError as error:
        say(f"{command}: {error}")
        return FAILED
    del values["help"]
    debug = values.pop("debug")
    if not gc.isenabled():
        gc.freeze()  # imported modules need not be traversed again
        gc.enable()
    return run(partial(verb, **values), debug=debug)
