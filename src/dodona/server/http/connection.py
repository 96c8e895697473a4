"""Connections: requests are read, answered in order, and closed when their client stalls."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import struct
import sys
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp

from dodona.server.errors import Refused
from dodona.server.http.exchange import CONTINUE, STATUS_LINES, Exchange, make_scope
from dodona.server.http.guard import ConnectionGuard, Phase
from dodona.server.http.messages import END_OF_HEAD, MAX_HEAD_BYTES, read_head

SLICE = 1 << 14  # bytes of chunks that are read before other connections have their turn
MAX_PIPELINED = 1 << 16  # bytes of further requests that wait for the current one
FREE_HEAD_BYTES = 4096  # of each connection, which do not count to the memory budget
PROBE_SECONDS = 1.0  # between probes of a client that has closed its sending side
LINGER_SECONDS = 10.0  # for the client to read the refusal of a request that it still sends
LINGER_BYTES = 1 << 26
NO_LINGER = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Retry-After: 1\r\nConnection: close\r\n\r\ntoo many connections; try again in a moment\n"
)
REFUSED = (
    b"%bContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n%b"
)

_BLANK_LINES = re.compile(rb"(?:\r\n)+")
_log = logging.getLogger("dodona.server")


@dataclass
class Site:
    """What all connections of a server share."""

    app: ASGIApp
    guard: ConnectionGuard
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    connections: set[HttpConnection] = field(default_factory=set)
    is_ending: bool = False


class HttpConnection(asyncio.Protocol):
    """A connection to a client."""

    def __init__(self, site: Site) -> None:
        self.site, self.guard = site, site.guard
        self.phase, self.address = Phase.HEAD, ""
        self._loop = asyncio.get_running_loop()
        self._pending = bytearray()  # the next heads, as far as they have arrived
        self._n_searched = 0  # bytes of them in which no head ends
        self._unread = b""  # bytes of a chunked body, to be read in the next turn
        self._exchange: Exchange | None = None
        self._n_held = 0  # bytes of the memory budget
        self._n_received = 0
        self._last_progress: tuple[Any, ...] = ()
        self._next_check = self._deadline = self._next_probe = float("inf")
        self._may_write = True
        self._drained: asyncio.Future[None] | None = None
        self._is_half_closed = self._is_paused = self._is_made = False
        self._scheme = "http"
        self._client: tuple[str, int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        peer, own = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        is_ip = isinstance(peer, tuple)
        if is_ip:
            self._client = str(peer[0]), int(peer[1])
        self._server = (str(own[0]), int(own[1])) if is_ip else (str(own), None)
        if transport.get_extra_info("sslcontext") is not None:
            self._scheme = "https"
        self.address = self._client[0] if self._client else ""
        if not self.guard.enter(self):
            transport.write(FULL)
            transport.close()
            return
        self.site.connections.add(self)
        if is_ip:  # before Python 3.13, asyncio does this not for all sockets
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        limits = self.guard.limits
        self._deadline = self._loop.time() + limits.head_timeout
        self._next_check = self._loop.time() + limits.patience / 2
        self._is_made = True
        if self._pending:
            self._loop.call_soon(self._read_head)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        if self._exchange is not None:
            self._exchange.lose()
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        self._n_received += len(data)
        if self.phase is Phase.LINGERING:
            if self._n_received > LINGER_BYTES:
                self.hang_up()
            return
        exchange = self._exchange
        if exchange is None or exchange.body.is_complete:
            self._pending += data
            if not self._is_made:  # sent together with the end of a TLS handshake
                return
            if exchange is None:
                self._read_head()
            elif not self._hold(len(self._pending)):
                self.guard.close(self, "memory")
            elif len(self._pending) > MAX_PIPELINED:
                self._pause(True)
            return
        self._feed(exchange, data)

    def eof_received(self) -> bool:
        """Keep the connection open for a client that only closed its sending side.

        A client that has left looks the same until something is sent to it, hence the probes.
        """
        exchange = self._exchange
        if self._scheme == "https" or self.phase is Phase.LINGERING:
            return False
        if END_OF_HEAD not in self._pending and (exchange is None or not exchange.body.is_complete):
            return False
        self._is_half_closed = True
        self._next_probe = self._loop.time() + PROBE_SECONDS
        return True

    def pause_writing(self) -> None:
        self._may_write = False

    def resume_writing(self) -> None:
        self._may_write = True
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    # What an exchange does with its connection

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    def drain(self) -> Awaitable[None] | None:
        if self._may_write:
            return None
        if self._drained is None or self._drained.done():
            self._drained = self._loop.create_future()
        return asyncio.shield(self._drained)

    def resume(self) -> None:
        if self._unread:
            return
        self._pause(False)

    def end(self, exchange: Exchange) -> None:
        """Go on to the next request, or close the connection."""
        if exchange is not self._exchange:
            return
        self._exchange = None
        if self.transport.is_closing():
            return
        if not exchange.is_complete:
            self.hang_up()  # so that an incomplete answer cannot pass as complete
        elif not exchange.body.is_complete:
            self._linger()
        elif not exchange.keeps_alive or self.site.is_ending:
            self.transport.close()
        elif self._pending:
            self._pause(False)
            self._loop.call_soon(self._read_head)
        elif self._is_half_closed:
            self.transport.close()
        else:
            self._release()
            self.guard.move(self, Phase.IDLE)
            self._deadline = self._loop.time() + self.guard.limits.keep_alive

    # What the server and the guard do with a connection

    def shutdown(self) -> None:
        """Close the connection after the request in progress."""
        if self._exchange is None:
            self.transport.close()
        else:
            self._exchange.keeps_alive = False

    def hang_up(self) -> None:
        """Reset the connection at once, discarding data in the system's buffers."""
        self._forget()
        if self._client is not None and not self.transport.is_closing():
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()

    def check(self, now: float) -> None:
        """Hang up if a deadline is over or the client made no progress; probe a half-closed one."""
        if now >= self._deadline:
            if self.phase in (Phase.LINGERING, Phase.IDLE):
                self.transport.close()
            else:
                self.guard.close(self, "head_timeout")
            return
        if now >= self._next_check:
            progress = self._progress()
            if progress and progress == self._last_progress:
                self.guard.close(self, "patience")
                return
            self._last_progress = progress
            self._next_check = now + self.guard.limits.patience / 2
        if now >= self._next_probe:
            self._probe(now)

    # Reading

    def _read_head(self) -> None:
        """Begin the next request if its head is complete."""
        if self._exchange is not None or self.transport.is_closing():
            return
        if self.phase is not Phase.HEAD:
            self.guard.move(self, Phase.HEAD)
            self._deadline = self._loop.time() + self.guard.limits.head_timeout
        pending = self._pending
        if blank := _BLANK_LINES.match(pending):  # after a body, which some clients send
            del pending[: blank.end()]
        end = pending.find(END_OF_HEAD, self._n_searched)
        self._n_searched = max(len(pending) - len(END_OF_HEAD), 0) if end < 0 else 0
        n_bytes = len(pending) if end < 0 else end
        if n_bytes > MAX_HEAD_BYTES:
            why = f"address and headers have more than {MAX_HEAD_BYTES:,} bytes"
            self._refuse(Refused(431, f"the request is too large: {why}", reason="headers"))
            return
        if not self._hold(n_bytes):
            self.guard.close(self, "memory")
            return
        if end < 0:
            return
        try:
            found = read_head(bytes(pending[:end]))
        except Refused as refused:
            self._refuse(refused)
            return
        rest = bytes(pending[end + len(END_OF_HEAD) :])
        pending.clear()
        self._deadline = float("inf")
        scope = make_scope(found, client=self._client, server=self._server, scheme=self._scheme)
        self._exchange = exchange = Exchange(self, found, scope)
        self.guard.move(self, Phase.BUSY if exchange.body.is_complete else Phase.BODY)
        if exchange.body.is_complete:
            pending += rest
        elif rest:
            self._feed(exchange, rest)
        if self._exchange is exchange:
            task = self._loop.create_task(exchange.run(self.site.app, report))
            self.site.tasks.add(task)
            task.add_done_callback(self.site.tasks.discard)

    def _feed(self, exchange: Exchange, data: bytes) -> None:
        """Pass bytes to a body; those of chunks in turns, since each chunk takes time."""
        if self._unread:
            self._unread += data
            return
        is_chunked = exchange.head.length is None
        try:
            exchange.feed(data[:SLICE] if is_chunked else data)
        except Refused as refused:
            self._refuse(refused)
            return
        if exchange.body.is_complete:
            self._pending += exchange.body.rest + (data[SLICE:] if is_chunked else b"")
            self.guard.move(self, Phase.BUSY)
            self._pause(False)
        elif is_chunked and len(data) > SLICE:
            self._unread = data[SLICE:]
            self._pause(True)
            self._loop.call_soon(self._read_on, exchange)
        else:
            self._pause(exchange.is_full)

    def _read_on(self, exchange: Exchange) -> None:
        """Read the next slice of chunks, as soon as the application has read the last one."""
        if exchange.is_lost or self._exchange is not exchange:
            return
        if exchange.is_full:
            self._loop.call_later(0.001, self._read_on, exchange)
            return
        data, self._unread = self._unread, b""
        self._feed(exchange, data)

    def _pause(self, is_paused: bool) -> None:
        if is_paused != self._is_paused and not self.transport.is_closing():
            self._is_paused = is_paused
            if is_paused:
                self.transport.pause_reading()
            else:
                self.transport.resume_reading()

    def _refuse(self, refused: Refused) -> None:
        """Answer a request that cannot be read, and close the connection."""
        self.guard.refused[refused.reason] += 1
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.lose()
            if exchange.is_begun:
                self.hang_up()
                return
        why = f"{refused}\n".encode()
        self.transport.write(REFUSED % (STATUS_LINES[refused.status], len(why), why))
        self._linger()

    def _linger(self) -> None:
        """Let the client read the answer: a connection with unread data would be reset."""
        self._pending.clear()
        self._unread = b""
        self._release()
        self._n_received = 0
        self._deadline = self._loop.time() + LINGER_SECONDS
        self.guard.move(self, Phase.LINGERING)
        self._pause(False)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        if self._is_half_closed or self.site.is_ending:
            self.transport.close()

    # Bookkeeping

    @property
    def _socket(self) -> Any:
        return self.transport.get_extra_info("socket")

    def _hold(self, n_bytes: int) -> bool:
        """Take memory for a long head; return whether there was enough left."""
        more = n_bytes - FREE_HEAD_BYTES - self._n_held
        if more <= 0:
            return True
        if not self.guard.memory.take(more, is_small=True):
            return False
        self._n_held += more
        return True

    def _release(self) -> None:
        if self._n_held:
            self.guard.memory.give_back(self._n_held)
            self._n_held = 0

    def _forget(self) -> None:
        self._release()
        self._deadline = self._next_check = self._next_probe = float("inf")
        self.guard.leave(self)
        self.site.connections.discard(self)

    def _progress(self) -> tuple[Any, ...]:
        """Return how far the client has got; () if the server is not waiting for the client.

        The rest of a complete answer must be read at the slowest rate allowed.
        """
        unread = self.transport.get_write_buffer_size()
        if unread:
            limits = self.guard.limits
            step = limits.min_rate * limits.patience / 2 if self._exchange is None else 1
            return "reading", unread // max(step, 1)
        if self.phase is Phase.BODY and not self._is_paused:
            return "sending", self._n_received
        return ()

    def _probe(self, now: float) -> None:
        """Send `100 Continue`, which every client skips, to find out whether the client has left.

        The system reports the second packet sent to a client that has left as an error.
        """
        exchange = self._exchange
        if exchange is None or exchange.is_begun or exchange.head.version != "1.1":
            self._next_probe = float("inf")
            return
        self.transport.write(CONTINUE)
        self._next_probe = now + PROBE_SECONDS


def report(error: Exception) -> None:
    """Log an error of the application with its traceback."""
    _log.error("the server failed on a request", exc_info=error)
