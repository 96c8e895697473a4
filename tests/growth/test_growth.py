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
SHORT = 0.005  # seconds, that nobody minds
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


@pytest.mark.parametrize(("operation", "pattern"), CASES)
def test_time_grows_with_the_input(operation: Operation, pattern: str) -> None:
    sizes = [operation.n, 2 * operation.n, 4 * operation.n]
    times = [measure(operation, pattern, n) for n in sizes]
    allowed = SLACK * 4**operation.power
    for _ in range(N_TRIALS):
        if times[-1] <= max(SHORT, allowed * times[0]):
            return
        times = [
            min(before, measure(operation, pattern, n))
            for before, n in zip(times, sizes, strict=True)
        ]
    shown = ", ".join(f"{1000 * t:.1f} ms for {n:,}" for t, n in zip(times, sizes, strict=True))
    pytest.fail(f"{operation.name}, {pattern}: {shown}; allowed: {allowed:.0f} times the first")
