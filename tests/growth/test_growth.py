"""Work grows with the input, and not much faster, for every operation and every kind of input.

Work is the number of trace events (lines, calls, returns) of the Python code, for inputs of size n
and 2n: the same on every machine. Compiled code is not counted; there the tests check that the
input is processed, or refused where the operation says so.
"""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from growth.operations import OPERATIONS, Operation

SLACK = 1.5  # twice the input may take three times the work, six times where it grows by the square
FEW = 5_000  # events: with fewer, compiled code does the work, and the count says nothing
CASES = [
    pytest.param(operation, pattern, id=f"{operation.name}, {pattern}")
    for operation in OPERATIONS
    for pattern in operation.patterns
]


def count_events(operation: Operation, pattern: str, n: int) -> int:
    """Return the number of trace events of an operation on an input of size n."""
    given = operation.given(operation.patterns[pattern](n))
    n_events = 0

    def trace(frame: FrameType, event: str, argument: object) -> object:
        nonlocal n_events
        n_events += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        operation.run(given)
        assert pattern not in operation.refused, "the input is no longer refused: update `refused`"
    except ValueError:
        if pattern not in operation.refused:
            raise
    finally:
        sys.settrace(before)
    return n_events


def complaint(operation: Operation, pattern: str) -> str:
    """Describe what is wrong with the growth of an operation; empty if nothing is."""
    count_events(operation, pattern, operation.n)  # trains models and imports modules
    once, twice = (count_events(operation, pattern, n) for n in (operation.n, 2 * operation.n))
    allowed = SLACK * 2**operation.power
    if twice <= allowed * max(once, FEW):
        return ""
    return (
        f"{operation.name}, {pattern}: {once:,} events for {operation.n:,}, {twice:,} for "
        f"{2 * operation.n:,}; at most {allowed:g} times as many are allowed"
    )


@pytest.mark.parametrize(("operation", "pattern"), CASES)
def test_work_grows_with_the_input(operation: Operation, pattern: str) -> None:
    assert not complaint(operation, pattern)


def test_growth_with_the_square_of_the_input_is_noticed() -> None:
    compare_all = Operation("compare all", {"x": lambda n: "x" * n}, str, _compare_all, 100)
    assert "for 200; at most 3 times as many are allowed" in complaint(compare_all, "x")
    assert not complaint(compare_all._replace(power=2), "x")


def _compare_all(text: str) -> int:
    return sum(one == other for one in text for other in text)
