"""Limits on connections: those that wait for their clients yield to those that work.

This module knows the connections only by `GuardedConnection`; `connection` implements it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from enum import Enum
from typing import Protocol

from dodona.server.limits import Limits
from dodona.server.memory_budget import MemoryBudget

SWEEPS = 4  # in the shortest timeout
SLOWEST_SWEEP = 1.0  # seconds


class Phase(Enum):
    """What a connection waits for; BUSY ones wait for the server."""

    LINGERING = "the client to notice that its request was refused"
    IDLE = "the next request of a client that was answered before"
    HEAD = "the first request, or the rest of a request's headers"
    BODY = "the rest of a request's body"
    BUSY = "its answer"


class GuardedConnection(Protocol):
    """What a guard needs to know of a connection; connections are compared by identity."""

    address: str
    phase: Phase

    def hang_up(self) -> None:
        """Close the connection at once."""

    def check(self, now: float) -> None:
        """Close the connection if its client is too slow."""


class ConnectionGuard:
    """The open connections of a server, by what they wait for and by address.

    When there are too many, the oldest one of the address with most of them is closed, so a client
    that opens thousands of connections delays only itself. Connections between two requests are
    no sign of that: browsers and proxies keep them open.
    """

    def __init__(self, limits: Limits, memory: MemoryBudget | None = None) -> None:
        self.limits = limits
        self.memory = memory or MemoryBudget(limits.memory)
        self.refused: Counter[str] = Counter()  # connections closed by a limit, by its name
        self._connections: dict[GuardedConnection, None] = {}
        self._waiting: dict[Phase, dict[str, dict[GuardedConnection, None]]] = {
            phase: {} for phase in Phase if phase is not Phase.BUSY
        }
        self._n_heads = 0

    def enter(self, connection: GuardedConnection) -> bool:
        """Admit a connection, if need be in place of an idle one; return whether it may stay."""
        if len(self._connections) >= self.limits.connections and not self._make_room():
            self.refused["connections"] += 1
            return False
        self._connections[connection] = None
        self._add(connection)
        return True

    def leave(self, connection: GuardedConnection) -> None:
        if connection in self._connections:
            del self._connections[connection]
            self._remove(connection)

    def move(self, connection: GuardedConnection, phase: Phase) -> None:
        """Note what a connection waits for now."""
        if connection.phase is phase or connection not in self._connections:
            return
        self._remove(connection)
        connection.phase = phase
        self._add(connection)

    def close(self, connection: GuardedConnection, limit: str) -> None:
        """Close a connection that has exceeded a limit."""
        self.refused[limit] += 1
        connection.hang_up()

    async def sweep(self) -> None:
        """Check all connections now and then, until cancelled."""
        shortest = min(self.limits.head_timeout, self.limits.patience, self.limits.keep_alive)
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(shortest / SWEEPS, SLOWEST_SWEEP))
            now = loop.time()
            for connection in list(self._connections):
                connection.check(now)

    def _add(self, connection: GuardedConnection) -> None:
        if connection.phase is Phase.BUSY:
            return
        self._waiting[connection.phase].setdefault(connection.address, {})[connection] = None
        if connection.phase is Phase.HEAD:
            self._n_heads += 1
            if self._n_heads > self.limits.heads:
                self._drop(Phase.HEAD, "heads")

    def _remove(self, connection: GuardedConnection) -> None:
        if connection.phase is Phase.BUSY:
            return
        by_address = self._waiting[connection.phase]
        del by_address[connection.address][connection]
        if not by_address[connection.address]:
            del by_address[connection.address]
        self._n_heads -= connection.phase is Phase.HEAD

    def _make_room(self) -> bool:
        """Close a connection that waits for its client; return whether there was one."""
        for phase, waiting in self._waiting.items():
            if waiting:
                self._drop(phase, "connections")
                return True
        return False

    def _drop(self, phase: Phase, limit: str) -> None:
        most = max(self._waiting[phase].values(), key=len)
        self.close(next(iter(most)), limit)
