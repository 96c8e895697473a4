"""Counters that several processes share."""

from __future__ import annotations

from dodona.server.metrics import Metrics
from dodona.server.shared_metrics import HEAD, SharedMetrics

PATH, STATUS = "/api/parse", 200


def counters(n: int) -> Metrics:
    metrics = Metrics()
    for _ in range(n):
        metrics.count(PATH, STATUS, 0.01)
    return metrics


def count(metrics: Metrics) -> int:
    return metrics.requests[PATH, STATUS]


def test_what_was_once_reported_is_not_lost_with_its_process() -> None:
    shared = SharedMetrics(2)
    shared.write(0, counters(1))
    assert count(shared.total(0, counters(3))) == 3  # the process ends before it writes again
    assert count(shared.read(0)) == 3
    assert count(shared.total(1, counters(2))) == 5


def test_a_write_cut_short_leaves_the_counters_before() -> None:
    shared = SharedMetrics(1)
    for n in (1, 2, 3):
        shared.write(0, counters(n))
    for n in (3, 4, 5):
        assert count(shared.read(0)) == n
        shared.write(0, counters(n + 1))
        start = shared._start(0, shared._read(0)[0] % 2)
        byte = start + HEAD.size
        shared._memory[byte] ^= 255
        assert count(shared.read(0)) == n
        shared._memory[byte] ^= 255
