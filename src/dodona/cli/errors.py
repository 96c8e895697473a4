"""Exceptions and signals become one line on stderr and an exit code."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from dodona.cli.streams import forget_output, printable
from dodona.errors import DodonaError

FAILED, MISUSED = 1, 2
BY_SIGNAL = 128  # plus the number of the signal, as in shells
INTERRUPTED, BROKEN_PIPE = BY_SIGNAL + 2, BY_SIGNAL + 13
ENDING = ("SIGTERM", "SIGHUP")  # signals after which we clean up, where they exist


class UsageError(DodonaError, ValueError):
    """Wrong arguments on the command line."""


class VerbError(DodonaError):
    """A verb of another distribution that cannot be loaded."""


class Stop(Exception):  # noqa: N818
    """A request to exit with this code, without a further message."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Terminated(KeyboardInterrupt):
    """A signal that ends the process; as after Ctrl-C, unfinished files are removed."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = BY_SIGNAL + number


def run(task: Callable[[], Any], *, debug: bool = False) -> int:
    """Run a task and return the exit code.

    Errors of Dodona (ValueErrors) and of the system are printed as one line; with `debug` they are
    raised. Any other exception is a bug, and always raised.
    """
    try:
        with _signals_raise():
            task()
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has ended, as `head` does
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
        try:
            sys.stdout.flush()
        except (OSError, ValueError):  # stdout may be what failed
            forget_output()
        say(message(error))
        return MISUSED if isinstance(error, UsageError) else FAILED
    return 0


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code after Ctrl-C or a signal.

    >>> exit_code(KeyboardInterrupt()), exit_code(Terminated(15))
    (130, 143)
    """
    return interrupt.code if isinstance(interrupt, Terminated) else INTERRUPTED


def say(text: str) -> None:
    """Print a line to stderr.

    >>> import contextlib
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     say("2 sentences skipped")
    2 sentences skipped
    """
    print(printable(text), file=sys.stderr, flush=True)


def message(error: BaseException) -> str:
    """Return the message of an error for people.

    >>> message(FileNotFoundError(2, "No such file or directory", "dev.conllu"))
    'dev.conllu: No such file or directory'
    >>> message(MemoryError())
    'not enough memory'
    """
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory" + (f": {error}" if str(error) else "")
    return str(error) or type(error).__name__


@contextlib.contextmanager
def _signals_raise() -> Iterator[None]:
    """Make signals that would kill the process raise `Terminated`, unless they are ignored.

    Forked processes keep the default behaviour.
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
    except ValueError:  # not in the main thread, whose owner handles signals
        numbers = []
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
