"""Counters of several worker processes, which any of them can add up.

Each process writes its counters into its part of a memory that all share, several times a second
and whenever it reports a sum: what was once reported outlives the process. A part has two slots,
written in turn, so that a process killed while it writes leaves the counters before.
"""

from __future__ import annotations

import asyncio
import pickle
from mmap import mmap
from struct import Struct
from zlib import crc32

from dodona.server.metrics import Metrics

SLOT = 1 << 18  # bytes
N_SLOTS = 2
HEAD = Struct("<QII")  # number of the write, length, checksum
WRITE_SECONDS = 0.25


class SharedMetrics:
    """The counters of all worker processes; made before they are forked."""

    def __init__(self, n_workers: int) -> None:
        self._memory = mmap(-1, n_workers * N_SLOTS * SLOT)
        self._n_workers = n_workers

    def write(self, worker: int, metrics: Metrics) -> None:
        """Publish the counters of a worker."""
        number = self._read(worker)[0] + 1
        data = pickle.dumps(metrics)
        if HEAD.size + len(data) <= SLOT:
            found = HEAD.pack(number, len(data), crc32(data)) + data
            start = self._start(worker, number % N_SLOTS)
            self._memory[start : start + len(found)] = found

    def read(self, worker: int) -> Metrics:
        """Return the counters of a worker, as published last."""
        data = self._read(worker)[1]
        found: Metrics = pickle.loads(data) if data else Metrics()
        return found

    def total(self, worker: int, own: Metrics) -> Metrics:
        """Return the sum of all counters; publish those of `worker`, which are given."""
        self.write(worker, own)
        found = Metrics()
        for other in range(self._n_workers):
            found.add(own if other == worker else self.read(other))
        return found

    async def keep_writing(self, worker: int, metrics: Metrics) -> None:
        """Publish the counters of a worker now and then, until cancelled."""
        while True:
            self.write(worker, metrics)
            await asyncio.sleep(WRITE_SECONDS)

    def _read(self, worker: int) -> tuple[int, bytes]:
        """Return the number of the last whole write, from 1, and what was written; or 0 and b""."""
        return max(self._read_slot(self._start(worker, slot)) for slot in range(N_SLOTS))

    def _read_slot(self, start: int) -> tuple[int, bytes]:
        number, length, checksum = HEAD.unpack_from(self._memory, start)
        start += HEAD.size
        data = self._memory[start : start + min(length, SLOT)]
        return (number, data) if length and crc32(data) == checksum else (0, b"")

    def _start(self, worker: int, slot: int) -> int:
        return (worker * N_SLOTS + slot) * SLOT
