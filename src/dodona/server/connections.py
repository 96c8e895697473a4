"""Connections with our manners: who hangs is hung up on, and nobody keeps others from asking.

Uvicorn waits for heads as long as clients like, and counts all connections alike. Here a head has
its time, and when there are too many connections that have sent none, the oldest of the address
with the most of them is closed: who opens thousands gets in their own way.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dodona.server.limits import Limits

NO_LINGER = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
LONG = 4096  # bytes: what is as long is no head, and is not kept back
PROBE = 1.0  # seconds between looks at whether who sends no more still listens
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Retry-After: 1\r\nConnection: close\r\n\r\ntoo many connections; try again in a moment\n"
)


class Guard:
    """The connections of a server, in the order in which they came, and those without a head."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._connections: dict[Connection, None] = {}
        self._headless: dict[str, dict[Connection, None]] = {}  # by address
        self._n_headless = 0

    def enter(self, connection: Connection) -> bool:
        """One more, at the cost of one that does nothing; whether there is a place for it."""
        if len(self._connections) >= self.limits.connections and not self._make_room():
            return False
        self._connections[connection] = None
        return True

    def leave(self, connection: Connection) -> None:
        """One less."""
        self._connections.pop(connection, None)
        self.has_head(connection)

    def wants_head(self, connection: Connection) -> None:
        """It may send a request now, and must do so in time."""
        if connection not in self._connections:
            return
        self.has_head(connection)
        self._headless.setdefault(connection.address, {})[connection] = None
        self._n_headless += 1
        if self._n_headless > self.limits.heads:
            self._drop_headless()

    def has_head(self, connection: Connection) -> None:
        """A head came, or is not waited for any more."""
        of_address = self._headless.get(connection.address, {})
        if connection in of_address:
            del of_address[connection]
            self._n_headless -= 1
            if not of_address:
                del self._headless[connection.address]

    def _make_room(self) -> bool:
        """Whether one could be closed that waits for its client, heads or bodies."""
        if self._n_headless:
            self._drop_headless()
            return True
        for connection in self._connections:
            if connection.is_sending:
                connection.hang_up()
                return True
        return False

    def _drop_headless(self) -> None:
        """The oldest, of those of the address that has the most."""
        most = max(self._headless.values(), key=len)
        next(iter(most)).hang_up()


class Gathering:
    """A transport that sends in one go what is written in one go: an answer's head with its body.

    Otherwise a client is woken for the head alone, and the system called twice.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._written: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Keep what is short until more comes, at the latest until the event loop comes by."""
        if not self._written:
            self._loop.call_soon(self.flush)
        self._written.append(data)
        if sum(map(len, self._written)) >= LONG:
            self.flush()

    def flush(self) -> None:
        """Send what was written."""
        if self._written:
            data = b"".join(self._written)
            self._written.clear()
            self._transport.write(data)

    def get_write_buffer_size(self) -> int:
        """How much is not sent yet."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._written))

    def close(self) -> None:
        """After what was written."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """At once."""
        self._written.clear()
        self._transport.abort()


class Connection(H11Protocol):
    """A connection that ends when the client neither sends what it began nor takes its answer."""

    guard: Guard  # of the class that a server makes of this one

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        connected = transport.get_extra_info("socket")
        if connected is not None:  # asyncio does so, but not for all sockets, before Python 3.13
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.transport: Gathering = Gathering(transport, self.loop)  # type: ignore[assignment]
        self.address = self.client[0] if self.client else ""
        self._n_received = 0
        self._seen: tuple[Any, ...] = ()
        self._head_has_begun = True
        self._has_ended = False  # the client sends no more
        self._timers: dict[str, asyncio.TimerHandle] = {}
        if not self.guard.enter(self):
            transport.write(FULL)
            transport.close()
            return
        self._await_head()
        self._call_later("look", self.guard.limits.patience / 2, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._n_received += len(data)
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._has_head()
        elif not self._head_has_begun and not self.transport.is_closing():
            self._head_has_begun = True
            self._call_later("head", self.guard.limits.head_seconds, self.hang_up)

    def eof_received(self) -> bool:  # type: ignore[override]
        """A client that has sent a whole request, and says that it will send no other.

        It may be that it has left, which looks the same until something is sent to it.
        """
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            return False
        self._has_ended = True
        self._call_later("probe", PROBE, self._probe)
        return True

    def on_response_complete(self) -> None:
        self.transport.flush()
        before = self.cycle
        super().on_response_complete()  # it may go on with a request that has come already
        if self.cycle is before and not self.transport.is_closing():
            if self._has_ended:
                self.transport.close()
            else:
                self._await_head()

    def send_400_response(self, msg: str) -> None:
        """In our words; what cannot even be answered is hung up on."""
        try:
            super().send_400_response("this is no request in HTTP/1.1\n")
        except h11.LocalProtocolError:
            self.hang_up()

    def shutdown(self) -> None:
        """The server ends: what is under way may go on for a while."""
        try:
            super().shutdown()
        except h11.LocalProtocolError:
            self.hang_up()

    def hang_up(self) -> None:
        """At once: what the system still holds for the client is dropped, too."""
        self._forget()
        connected = self.transport.get_extra_info("socket")
        if connected is not None and not self.transport.is_closing():
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()

    @property
    def is_sending(self) -> bool:
        """Whether the rest of a request is waited for."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and cycle.more_body

    def _await_head(self) -> None:
        self._head_has_begun = False
        self.guard.wants_head(self)
        self._call_later("head", self.guard.limits.head_seconds, self.hang_up)

    def _has_head(self) -> None:
        self._head_has_begun = True
        self.guard.has_head(self)
        self._call_later("head", None, self.hang_up)

    def _forget(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self.guard.leave(self)

    def _call_later(self, name: str, seconds: float | None, call: Any) -> None:
        """One call of each name at a time; None cancels it."""
        if name in self._timers:
            self._timers.pop(name).cancel()
        if seconds is not None:
            self._timers[name] = self.loop.call_later(seconds, call)

    def _look(self) -> None:
        """Now and then: it is the client's turn, and too little happened since the last look?"""
        seen = self._state()
        if seen and seen == self._seen:
            self.hang_up()
            return
        self._seen = seen
        self._call_later("look", self.guard.limits.patience / 2, self._look)

    def _state(self) -> tuple[Any, ...]:
        """What the client has done so far, as far as it can be told; nothing if it is not its turn.

        The end of an answer must be taken with some speed: a step is what the slowest would take.
        """
        unread = self.transport.get_write_buffer_size()
        if unread:
            is_end = self.cycle is None or self.cycle.response_complete
            step = self.guard.limits.slowest * self.guard.limits.patience / 2 if is_end else 1
            return "reading", unread // max(step, 1)
        if self.is_sending and not self.flow.read_paused:
            return "sending", self._n_received
        return ()

    def _probe(self) -> None:
        """To one who has gone, the second word is sent in vain, and the system says so.

        `100 Continue` is the only one that every client knows to skip.
        """
        if self.cycle.response_started or self.scope["http_version"] != "1.1":
            return
        self.transport.write(self.conn.send(h11.InformationalResponse(status_code=100, headers=[])))
        self._call_later("probe", PROBE, self._probe)
