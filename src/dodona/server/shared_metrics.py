"""Counters of several worker processes, which any of them can add up.

Each process writes its counters into its part of a memory that all share, several times a second.
"""

from __future__ import annotations

import asyncio
import pickle
from mmap import mmap
from zlib import crc32

from dodona.server.metrics import Metrics

PART = 1 << 18  # bytes
NUMBER = 4  # bytes of a length and of a checksum
WRITE_SECONDS = 0.25


class SharedMetrics:
    """The counters of all worker processes; made before they are forked."""

    def __init__(self, n_workers: int) -> None:
        self._memory = mmap(-1, n_workers * PART)
        self._n_workers = n_workers
        self._last: dict[int, Metrics] = {}  # the counters of each process, as read last

    def write(self, worker: int, metrics: Metrics) -> None:
        """Publish the counters of a worker."""
        data = pickle.dumps(metrics)
        head = len(data).to_bytes(NUMBER, "little") + crc32(data).to_bytes(NUMBER, "little")
        if len(head) + len(data) <= PART:
            self._memory[worker * PART : worker * PART + len(head) + len(data)] = head + data

    def read(self, worker: int) -> Metrics:
        """Return the counters of a worker; those read before, while it writes new ones."""
        start = worker * PART
        head = self._memory[start : start + 2 * NUMBER]
        length = int.from_bytes(head[:NUMBER], "little")
        data = self._memory[start + 2 * NUMBER : start + 2 * NUMBER + min(length, PART)]
        if length and crc32(data) == int.from_bytes(head[NUMBER:], "little"):
            found: Metrics = pickle.loads(data)
            self._last[worker] = found
        return self._last.get(worker, Metrics())

    def total(self, worker: int, own: Metrics) -> Metrics:
        """Return the sum of all counters; those of `worker` are given."""
        found = Metrics()
        for other in range(self._n_workers):
            found.add(own if other == worker else self.read(other))
        return found

    async def keep_writing(self, worker: int, metrics: Metrics) -> None:
        """Publish the counters of a worker now and then, until cancelled."""
        while True:
            self.write(worker, metrics)
            await asyncio.sleep(WRITE_SECONDS)
