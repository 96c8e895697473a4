"""Minimum speed of clients: stalled clients are disconnected, and slow ones yield to others.

A client that sends or reads slowly occupies a slot and memory at no cost to itself. So there is a
minimum rate at all times, and when all slots are occupied, the slowest client loses its slot unless
it is much faster than the minimum.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from anyio import CancelScope, current_time

from dodona.server.errors import CLOSE, Refused
from dodona.server.limits import Limits

T = TypeVar("T")

SLOW = 2.0  # seconds behind the good rate from which a client must yield
GOOD_RATE = 100  # the good rate, as a multiple of the minimum rate
YIELD_SECONDS = 0.05  # for a client that must yield to disconnect


class ClientSpeed:
    """How many seconds a client is behind the minimum rate, and behind a good rate.

    A client that is faster for a while earns no credit for later.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._behind_minimum = self._behind_good = 0.0
        self._since: float | None = None  # when the current wait for the client began
        self._waiting: CancelScope | None = None
        self._is_cancelled = False

    async def wait(self, client: Awaitable[T], n_bytes: int = 0) -> T:
        """Wait for the client to send something or, with `n_bytes`, to read that many bytes."""
        self._since = begin = time.monotonic()
        left = self._limits.patience + n_bytes / self._limits.min_rate - self._behind_minimum
        with CancelScope(deadline=current_time() + left) as scope:
            self._waiting = scope
            if self._is_cancelled:  # between two waits, or at the end of the last one
                scope.cancel()
            found = await client
            self._since = None
            self.count(n_bytes, time.monotonic() - begin)
            return found
        if self._is_cancelled:
            why = "the connection is slow and others are waiting; try again later"
            raise Refused(503, why, {**CLOSE, "Retry-After": "10"}, reason="slow")
        why = f"data was sent or read at less than {self._limits.min_rate:,} bytes per second"
        why += f" for {self._limits.patience:g} seconds"
        raise Refused(408, why, CLOSE, reason="patience")

    def count(self, n_bytes: int, seconds: float = 0.0) -> None:
        """Count bytes that the client has sent or read, and the time that it took."""
        minimum = self._limits.min_rate
        self._behind_minimum = max(0.0, self._behind_minimum + seconds - n_bytes / minimum)
        self._behind_good = max(0.0, self._behind_good + seconds - n_bytes / (GOOD_RATE * minimum))

    @property
    def behind(self) -> float:
        """Seconds that the client is behind a good rate."""
        return self._behind_good + (0.0 if self._since is None else time.monotonic() - self._since)

    def cancel(self) -> None:
        """Stop waiting for this client, which must yield to another."""
        self._is_cancelled = True
        if self._waiting is not None:
            self._waiting.cancel()


class ClientGroup:
    """Clients that compete for a resource; used only by the thread of the event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._clients: set[ClientSpeed] = set()

    def __len__(self) -> int:
        return len(self._clients)

    @contextmanager
    def join(self) -> Iterator[ClientSpeed]:
        """Add a client for the duration of a `with` block."""
        speed = ClientSpeed(self._limits)
        self._clients.add(speed)
        try:
            yield speed
        finally:
            self._clients.discard(speed)

    def drop_slowest(self) -> bool:
        """Cancel the slowest client if it is slow; return whether there was such a client."""
        slowest = max(self._clients, key=lambda client: client.behind, default=None)
        if slowest is None or slowest.behind < SLOW:
            return False
        self._clients.discard(slowest)
        slowest.cancel()
        return True


class StreamGroup(ClientGroup):
    """The clients of the open streams, whose number is limited."""

    @contextmanager
    def join(self) -> Iterator[ClientSpeed]:
        """Add a stream, if need be in place of a slow one."""
        if len(self) >= self._limits.streams and not self.drop_slowest():
            why = f"{self._limits.streams} streams are open already; try again later"
            raise Refused(503, why, {**CLOSE, "Retry-After": "10"}, reason="streams")
        with super().join() as speed:
            yield speed
