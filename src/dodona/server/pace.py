"""How fast clients send and take: who hangs is not waited for, and who is slow gives way to others.

Places and memory are held for clients as well as for work, and to hang costs a client nothing. So
there is a slowest pace at all times; and when all places are taken, the slowest client loses its
own, unless it is a good deal faster than that.
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

SLOW = 2.0  # seconds behind a good pace: who is more gives way
GOOD = 100  # times the slowest pace
BREATH = 0.05  # seconds for a client that gives way to be gone


class Pace:
    """One client: how many seconds it is behind the slowest pace, and behind a good one.

    Who is faster for a while gains nothing for later.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._behind_slowest = self._behind_good = 0.0
        self._since: float | None = None  # when it was last begun to wait for
        self._waiting: CancelScope | None = None
        self._gave_way = False

    async def wait(self, client: Awaitable[T], n_bytes: int = 0) -> T:
        """What a client sends; or, if it is given something, that it has taken so many bytes."""
        self._since = begin = time.monotonic()
        left = self._limits.patience + n_bytes / self._limits.slowest - self._behind_slowest
        with CancelScope(deadline=current_time() + left) as scope:
            self._waiting = scope
            if self._gave_way:  # between two waits, or as the last one came to its end
                scope.cancel()
            found = await client
            self._since = None
            self._count(n_bytes, time.monotonic() - begin)
            return found
        if self._gave_way:
            why = "others are waiting, and this is slow; try again later"
            raise Refused(503, why, {**CLOSE, "Retry-After": "10"})
        why = f"sent or taken at less than {self._limits.slowest:,} bytes a second"
        raise Refused(408, f"{why} for {self._limits.patience:g} seconds", CLOSE)

    def count(self, n_bytes: int) -> None:
        """It has sent so many."""
        self._count(n_bytes, 0.0)

    def _count(self, n_bytes: int, seconds: float) -> None:
        slowest = self._limits.slowest
        self._behind_slowest = max(0.0, self._behind_slowest + seconds - n_bytes / slowest)
        self._behind_good = max(0.0, self._behind_good + seconds - n_bytes / (GOOD * slowest))

    @property
    def behind(self) -> float:
        """How many seconds it is behind a good pace."""
        return self._behind_good + (0.0 if self._since is None else time.monotonic() - self._since)

    def give_way(self) -> None:
        """Wait for this client no longer."""
        self._gave_way = True
        if self._waiting is not None:
            self._waiting.cancel()


class Crowd:
    """Clients that compete for something, all known to the one thread that runs the event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._paces: set[Pace] = set()

    def __len__(self) -> int:
        return len(self._paces)

    @contextmanager
    def join(self) -> Iterator[Pace]:
        """One more."""
        pace = Pace(self._limits)
        self._paces.add(pace)
        try:
            yield pace
        finally:
            self._paces.discard(pace)

    def make_room(self) -> bool:
        """Whether there was a slow one, which has to go now."""
        slowest = max(self._paces, key=lambda pace: pace.behind, default=None)
        if slowest is None or slowest.behind < SLOW:
            return False
        self._paces.discard(slowest)
        slowest.give_way()
        return True


class Streams(Crowd):
    """Streams, only so many at a time."""

    @contextmanager
    def join(self) -> Iterator[Pace]:
        """One more, in the place of a slow one where all are taken."""
        if len(self) >= self._limits.streams and not self.make_room():
            why = f"{self._limits.streams} streams are open already; try again later"
            raise Refused(503, why, {**CLOSE, "Retry-After": "10"})
        with super().join() as pace:
            yield pace
