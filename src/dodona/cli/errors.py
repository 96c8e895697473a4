"""From an exception to one line on stderr and an exit code."""

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

FAILED, MISUSED = 1, 2
INTERRUPTED, BROKEN_PIPE = 130, 141  # as a shell says it: 128 and the signal's number


class UsageError(ValueError):
    """Flags that do not go together."""


class Stop(Exception):  # noqa: N818
    """Leave with this exit code; everything has been said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def run(task: Callable[[], Any], *, debug: bool = False) -> int:
    """Do it, and return the exit code.

    Our own errors are ValueErrors and, like the system's, written for people: one line. With
    `debug` they come with their traceback; anything else is a bug of ours and always does.
    """
    try:
        task()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        _forget_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except Stop as stop:
        return stop.code
    except (ValueError, OSError) as error:
        if debug:
            raise
        say(message(error))
        return MISUSED if isinstance(error, UsageError) else FAILED
    return 0


def say(text: str) -> None:
    """One line on stderr.

    >>> import contextlib
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     say("2 sentences skipped")
    2 sentences skipped
    """
    print(text, file=sys.stderr, flush=True)


def message(error: Exception) -> str:
    """What to tell about an error.

    >>> message(FileNotFoundError(2, "No such file or directory", "dev.conllu"))
    'dev.conllu: No such file or directory'
    """
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def _forget_output() -> None:
    """Point stdout elsewhere, or Python complains when it flushes it at the end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
