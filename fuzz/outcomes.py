"""What became of an input, short enough to tell whether something new has happened."""

from __future__ import annotations

import re
import traceback
from collections.abc import Hashable
from dataclasses import dataclass
from types import TracebackType

from fuzz.target import Target, promise

# what differs from one message to the next that says the same
PARTICULAR = re.compile(r"""\d+|b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*\"""")
SHOWN = 80  # characters of a message, where what it is about comes first


@dataclass(frozen=True)
class Outcome:
    """What was returned or raised; `error` where it should not have been."""

    sign: Hashable
    error: Exception | None = None


def try_input(target: Target, data: bytes) -> Outcome:
    """Run the target; an undeclared exception is remembered, not raised."""
    try:
        return Outcome(("returned", target.run(data)))
    except target.refuses as error:
        if not str(error):
            return Outcome(describe(error), error)
        return Outcome(describe(error))
    except Exception as error:
        return Outcome(describe(error), error)


def describe(error: Exception) -> tuple[str, ...]:
    """The kind of an error, where it was raised, and what it says but for the particulars."""
    if isinstance(error, RecursionError):  # where it gives up is chance
        return (type(error).__name__, "", "")
    says = PARTICULAR.sub("#", str(error)[: 4 * SHOWN])[:SHOWN]
    return (type(error).__name__, _where(error.__traceback__), says)


def tell(error: Exception) -> str:
    """The error with its traceback, for a person."""
    return "".join(traceback.format_exception(error))


def _where(at: TracebackType | None) -> str:
    """File and line of the innermost frame, or of who made the promise that was broken."""
    if at is None:
        return ""
    while at.tb_next is not None and at.tb_next.tb_frame.f_code is not promise.__code__:
        at = at.tb_next
    return f"{at.tb_frame.f_code.co_filename.rpartition('/')[2]}:{at.tb_lineno}"
