"""From the words of a command line to the verb that they name."""

import gc
import os
from functools import partial

from dodona.cli.errors import MISUSED, UsageError, run, say
from dodona.cli.flags import parameters
from dodona.cli.grammar import Line
from dodona.cli.program import choose, program
from dodona.cli.shells import COMPLETING
from dodona.cli.streams import set_up


def start(words: list[str]) -> int:
    """Do what the words say, and return the exit code."""
    set_up()
    if COMPLETING in os.environ:
        from dodona.cli.completion import complete

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
        line = Line(rest, parameters(verb))
        if not words or "help" in line.texts:
            from dodona.cli.help import print_page

            return run(partial(print_page, command, verb)) or (0 if words else MISUSED)
        values = line.values()
    except UsageError as error:
        say(f"{command}: {error}\nTry '{command} --help'.")
        return MISUSED
    del values["help"]
    debug = values.pop("debug")
    if not gc.isenabled():
        gc.freeze()  # nobody looks at what was imported again
        gc.enable()
    return run(partial(verb, **values), debug=debug)
