"""Uvicorn with our manners: who hangs is hung up on, and a signal ends the server in good order."""

from __future__ import annotations

import asyncio
import math
import signal
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from dodona.server.limits import Limits

NO_LINGER = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
MOST_HEAD = 1 << 17  # bytes of a request's address and headers: /process takes data there


class Connection(H11Protocol):
    """A connection that ends when the client neither sends what it began nor takes its answer."""

    patience = Limits.patience

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._n_received = 0
        self._seen: tuple[object, ...] = ()
        self._next_look = self.loop.call_later(self.patience / 2, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        self._next_look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._n_received += len(data)
        super().data_received(data)

    def _look(self) -> None:
        """Now and then: it is the client's turn, and nothing has happened since the last look?"""
        seen = self._state()
        if seen and seen == self._seen:
            self._hang_up()
            return
        self._seen = seen
        self._next_look = self.loop.call_later(self.patience / 2, self._look)

    def _hang_up(self) -> None:
        """At once: what the system still holds for the client is dropped, too."""
        connected = self.transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()

    def _state(self) -> tuple[object, ...]:
        """What the client has done so far; nothing if it is not its turn."""
        unread = self.transport.get_write_buffer_size()
        if unread:
            return "reading", unread
        if self.cycle is None or self.cycle.response_complete:
            return "asking", self.cycle  # a whole head, or it has not begun: drops do not count
        if self.cycle.more_body and not self.flow.read_paused:
            return "sending", self._n_received
        return ()


class Server(uvicorn.Server):
    """Finishes what is under way when told to stop, and then simply returns."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Uvicorn's own raises the signal again at the end, as if nothing had been finished."""
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """A socket to serve on, or an error that says why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(
            f"cannot listen on {host} port {port}: {why}; choose another --port"
        ) from error
    except OverflowError:
        raise ValueError(f"a port is a number from 0 to 65535, not {port}") from None


def run(app: ASGIApp, listening: socket.socket, limits: Limits) -> None:
    """Serve until a signal comes, and then finish what is under way."""
    config = uvicorn.Config(
        app,
        http=type("PatientConnection", (Connection,), {"patience": limits.patience}),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_graceful_shutdown=math.ceil(limits.seconds),
        h11_max_incomplete_event_size=MOST_HEAD,
    )
    Server(config).run(sockets=[listening])
