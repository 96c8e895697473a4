"""Time grows with the input, and not much faster, whatever is done to whatever.

What is measured is the processor's time for n, 2n and 4n, the least of some trials: others may keep
the machine busy meanwhile. Only clear differences count: four times as much may take ten times as
long, or, where it may grow with the square, forty times.
"""

from __future__ import annotations

import gc
from time import process_time

import pytest

from growth.operations import OPERATIONS, Operation

N_TRIALS = 4
SLACK = 2.5
SHORT = 0.06  # seconds, that nobody minds
TICKS = 0.012  # what is shorter cannot be told: some clocks tick every 4 ms
CASES = [
    pytest.param(operation, pattern, id=f"{operation.name}, {pattern}")
    for operation in OPERATIONS
    for pattern in operation.patterns
]


def measure(operation: Operation, pattern: str, n: int) -> float:
    """The time for an input of size n."""
    given = operation.given(operation.patterns[pattern](n))
    gc.disable()  # it looks at everything there is, whoever made it
    start = process_time()
    try:
        operation.run(given)
        assert pattern not in operation.refused, "it is no longer refused: say so"
    except ValueError:
        if pattern not in operation.refused:
            raise
    finally:
        taken = process_time() - start
        gc.enable()
    return taken


def complaint(operation: Operation, pattern: str) -> str:
    """What is wrong with the growth of an operation; empty if nothing is."""
    sizes = [operation.n, 2 * operation.n, 4 * operation.n]
    times = [measure(operation, pattern, n) for n in sizes]
    allowed = SLACK * 4**operation.power
    for _ in range(N_TRIALS):
        if times[-1] <= max(SHORT, allowed * max(times[0], TICKS)):
            return ""
        again = [measure(operation, pattern, n) for n in sizes]
        times = list(map(min, times, again))
    shown = ", ".join(f"{1000 * t:.1f} ms for {n:,}" for t, n in zip(times, sizes, strict=True))
    return f"{operation.name}, {pattern}: {shown}; at most {allowed:.0f} times the first is allowed"


@pytest.mark.parametrize(("operation", "pattern"), CASES)
def test_time_grows_with_the_input(operation: Operation, pattern: str) -> None:
    assert not complaint(operation, pattern)


def test_growth_with_the_square_of_the_input_is_noticed() -> None:
    compare_all = Operation("compare all", {"x": lambda n: "x" * n}, str, _compare_all, 1000)
    assert "ms for 4,000; at most 10 times the first is allowed" in complaint(compare_all, "x")
    assert not complaint(compare_all._replace(power=2), "x")


def _compare_all(text: str) -> int:
    return sum(one == other for one in text for other in text)
