"""Header timeouts and connection limits: stalled clients are disconnected before busy ones.

This module knows the connections only by `GuardedConnection`; `uvicorn_adapter` implements it.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from dodona.server.limits import Limits

LONG = 4096  # bytes: longer writes are sent without waiting for more


class GuardedConnection(Protocol):
    """What a guard needs to know of a connection; connections are compared by identity."""

    address: str

    @property
    def is_sending(self) -> bool:
        """Whether the client has sent only part of a request body."""

    def hang_up(self) -> None:
        """Close the connection at once."""


class ConnectionGuard:
    """The open connections of a server in order of arrival, and those without complete headers.

    When too many connections have incomplete headers, the oldest one of the address with most of
    them is closed, so a client that opens thousands of connections delays only itself.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._connections: dict[GuardedConnection, None] = {}
        self._headless: dict[str, dict[GuardedConnection, None]] = {}  # by address
        self._n_headless = 0

    def enter(self, connection: GuardedConnection) -> bool:
        """Admit a connection, if need be in place of an idle one; return whether it may stay."""
        if len(self._connections) >= self.limits.connections and not self._close_idle():
            return False
        self._connections[connection] = None
        return True

    def leave(self, connection: GuardedConnection) -> None:
        self._connections.pop(connection, None)
        self.headers_done(connection)

    def await_headers(self, connection: GuardedConnection) -> None:
        """Record that a connection may send the headers of a request now."""
        if connection not in self._connections:
            return
        self.headers_done(connection)
        self._headless.setdefault(connection.address, {})[connection] = None
        self._n_headless += 1
        if self._n_headless > self.limits.heads:
            self._drop_headless()

    def headers_done(self, connection: GuardedConnection) -> None:
        """Record that the headers have arrived or are no longer expected."""
        of_address = self._headless.get(connection.address, {})
        if connection in of_address:
            del of_address[connection]
            self._n_headless -= 1
            if not of_address:
                del self._headless[connection.address]

    def _close_idle(self) -> bool:
        """Close a connection that waits for its client; return whether there was one."""
        if self._n_headless:
            self._drop_headless()
            return True
        for connection in self._connections:
            if connection.is_sending:
                connection.hang_up()
                return True
        return False

    def _drop_headless(self) -> None:
        most = max(self._headless.values(), key=len)
        next(iter(most)).hang_up()


class GatheringTransport:
    """A transport that joins short writes, so that headers and body leave in one packet.

    Otherwise the client wakes up for the headers alone, and there are two system calls.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._written: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Buffer a short write until the next iteration of the event loop at the latest."""
        if not self._written:
            self._loop.call_soon(self.flush)
        self._written.append(data)
        if sum(map(len, self._written)) >= LONG:
            self.flush()

    def flush(self) -> None:
        if self._written:
            data = b"".join(self._written)
            self._written.clear()
            self._transport.write(data)

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes not sent yet."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._written))

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Close and discard what was not sent."""
        self._written.clear()
        self._transport.abort()
