"""From an exception, or a signal, to one line on stderr and an exit code."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from dodona.cli.streams import forget_output
from dodona.errors import DodonaError

FAILED, MISUSED = 1, 2
BY_SIGNAL = 128  # and its number: as a shell says it
INTERRUPTED, BROKEN_PIPE = BY_SIGNAL + 2, BY_SIGNAL + 13
ENDING = ("SIGTERM", "SIGHUP")  # signals that end us in good order, those of them that exist


class UsageError(DodonaError, ValueError):
    """Flags that do not go together."""


class VerbError(DodonaError):
    """A verb of another distribution that cannot be loaded."""


class Stop(Exception):  # noqa: N818
    """Leave with this exit code; everything has been said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Terminated(KeyboardInterrupt):
    """A signal asks us to end: as after Ctrl-C, what is half done is cleared away."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = BY_SIGNAL + number


def run(task: Callable[[], Any], *, debug: bool = False) -> int:
    """Do it, and return the exit code.

    Our own errors are ValueErrors and, like the system's, written for people: one line. With
    `debug` they come with their traceback; anything else is a bug of ours and always does.
    """
    try:
        with _ending_in_good_order():
            task()
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        forget_output()
        return BROKEN_PIPE
    except KeyboardInterrupt as interrupt:
        say("interrupted")
        return exit_code(interrupt)
    except Stop as stop:
        return stop.code
    except (ValueError, OSError, MemoryError) as error:
        if debug:
            raise
        _flush_if_possible()
        say(message(error))
        return MISUSED if isinstance(error, UsageError) else FAILED
    return 0


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """What to leave with after Ctrl-C or a signal.

    >>> exit_code(KeyboardInterrupt()), exit_code(Terminated(15))
    (130, 143)
    """
    return interrupt.code if isinstance(interrupt, Terminated) else INTERRUPTED


def say(text: str) -> None:
    """One line on stderr.

    >>> import contextlib
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     say("2 sentences skipped")
    2 sentences skipped
    """
    print(text, file=sys.stderr, flush=True)


def message(error: BaseException) -> str:
    """What to tell about an error.

    >>> message(FileNotFoundError(2, "No such file or directory", "dev.conllu"))
    'dev.conllu: No such file or directory'
    >>> message(MemoryError())
    'there is not enough memory'
    """
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "there is not enough memory" + (f": {error}" if str(error) else "")
    return str(error) or type(error).__name__


@contextlib.contextmanager
def _ending_in_good_order() -> Iterator[None]:
    """Let a signal that would end us at once raise `Terminated` instead; one that is ignored, not.

    Processes that are forked off meanwhile end as they would have.
    """
    ours = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() == ours:
            raise Terminated(number)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    try:
        for number in numbers:
            signal.signal(number, end)
    except ValueError:  # not in the main thread: who calls us there looks after signals
        numbers = []
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _flush_if_possible() -> None:
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # that, too, may be what went wrong
        forget_output()
