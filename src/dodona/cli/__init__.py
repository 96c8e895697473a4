"""The shell: `dodona VERB …`, one small module per verb."""

import gc
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `dodona`; leaves with its exit code.

    >>> main(["parse", "no.dodona"])
    Traceback (most recent call last):
    SystemExit: 1
    """
    if arguments is not None:
        sys.exit(_start(list(arguments)))
    # A start makes no garbage, and what is there at the end goes with the process. Not to look for
    # cycles in either saves a seventh of the time that one sentence takes.
    gc.disable()
    try:
        sys.exit(_start(sys.argv[1:]))
    finally:
        gc.freeze()


def _start(words: list[str]) -> int:
    from dodona.cli.starting import start

    return start(words)
