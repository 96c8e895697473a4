"""Serving with uvicorn, and everything that relies on its internals.

Uvicorn waits for request headers without a timeout, treats stalled and busy connections alike, and
has no hooks to change that. So `HttpConnection` derives from its protocol and reads these
attributes, which are not part of its documented interface:

  cycle   the request in progress: None before the first one, a new object as soon as the headers of
          a request are complete. `more_body` is True until the body has arrived, `response_started`
          and `response_complete` follow the answer
  flow    `read_paused` is True while uvicorn itself does not read from the client
  conn    the h11 connection, by which `100 Continue` is written
  scope   the ASGI scope of the request in progress, of which `http_version` is read

`RELIED_ON` lists all names that are used or overridden. `tests/server/test_uvicorn_adapter.py`
checks them and their behaviour; `pyproject.toml` bounds the versions of uvicorn and h11.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from dodona.server.connections import ConnectionGuard, GatheringTransport
from dodona.server.limits import Limits

# class: methods that are overridden or called, and instance attributes that are read
RELIED_ON: Mapping[type, tuple[str, ...]] = {
    H11Protocol: (
        *("connection_made", "connection_lost", "data_received", "eof_received"),
        *("on_response_complete", "send_400_response", "shutdown"),
        *("client", "conn", "cycle", "flow", "loop", "scope", "transport"),
    ),
    RequestResponseCycle: ("more_body", "response_started", "response_complete"),
    FlowControl: ("read_paused",),
    uvicorn.Server: ("startup", "shutdown", "capture_signals", "handle_exit", "server_state"),
}

BACKLOG = 1024  # connections that the system queues
NO_LINGER = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
PROBE_SECONDS = 1.0  # between probes of a client that has closed its sending side
BROKEN_OFF = "ASGI callable returned without"  # how uvicorn logs an answer that was broken off
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Retry-After: 1\r\nConnection: close\r\n\r\ntoo many connections; try again in a moment\n"
)
MAX_HEADER_BYTES = 1 << 17  # of a request's address and headers: /process takes data there
ACCEPTED_AT_ONCE = 64  # connections that are accepted before others are served
SPARE_FILES = 100  # open files beside connections
THREAD_SECONDS = 2.0  # for threads to end after all connections are closed


class HttpConnection(H11Protocol):
    """A connection that is closed when its client stalls while sending or reading."""

    guard: ConnectionGuard  # set by the subclass of each server

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        connected = transport.get_extra_info("socket")
        if connected is not None:  # before Python 3.13, asyncio does this not for all sockets
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        gathering = GatheringTransport(transport, self.loop)
        self.transport: GatheringTransport = gathering  # type: ignore[assignment]
        self.address = self.client[0] if self.client else ""
        self._n_received = 0
        self._last_progress: tuple[Any, ...] = ()
        self._headers_begun = True
        self._is_half_closed = False  # the client sends no more
        self._timers: dict[str, asyncio.TimerHandle] = {}
        if not self.guard.enter(self):
            transport.write(FULL)
            transport.close()
            return
        self._await_headers()
        self._call_later("progress", self.guard.limits.patience / 2, self._check_progress)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._n_received += len(data)
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._headers_begun = True
            self.guard.headers_done(self)
            self._call_later("headers", None, self.hang_up)
        elif not self._headers_begun and not self.transport.is_closing():
            self._headers_begun = True
            self._call_later("headers", self.guard.limits.head_timeout, self.hang_up)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep the connection open for a client that only closed its sending side.

        A client that has left looks the same until something is sent to it, hence the probes.
        """
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            return False
        self._is_half_closed = True
        self._call_later("probe", PROBE_SECONDS, self._probe)
        return True

    def on_response_complete(self) -> None:
        self.transport.flush()
        before = self.cycle
        super().on_response_complete()  # may start a pipelined request
        if self.cycle is before and not self.transport.is_closing():
            if self._is_half_closed:
                self.transport.close()
            else:
                self._await_headers()

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request, or hang up where h11 cannot answer any more."""
        try:
            super().send_400_response("malformed HTTP/1.1 request\n")
        except h11.LocalProtocolError:
            self.hang_up()

    def shutdown(self) -> None:
        """Close the connection after the request in progress."""
        try:
            super().shutdown()
        except h11.LocalProtocolError:
            self.hang_up()

    def hang_up(self) -> None:
        """Reset the connection at once, discarding data in the system's buffers."""
        self._forget()
        connected = self.transport.get_extra_info("socket")
        if connected is not None and not self.transport.is_closing():
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()

    @property
    def is_sending(self) -> bool:
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and cycle.more_body

    def _await_headers(self) -> None:
        self._headers_begun = False
        self.guard.await_headers(self)
        self._call_later("headers", self.guard.limits.head_timeout, self.hang_up)

    def _forget(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self.guard.leave(self)

    def _call_later(self, name: str, seconds: float | None, call: Any) -> None:
        """Schedule a call, which replaces the pending call of that name; None only cancels."""
        if name in self._timers:
            self._timers.pop(name).cancel()
        if seconds is not None:
            self._timers[name] = self.loop.call_later(seconds, call)

    def _check_progress(self) -> None:
        """Hang up if the client made no progress since the last check."""
        progress = self._progress()
        if progress and progress == self._last_progress:
            self.hang_up()
            return
        self._last_progress = progress
        self._call_later("progress", self.guard.limits.patience / 2, self._check_progress)

    def _progress(self) -> tuple[Any, ...]:
        """Return how far the client has got; () if the server is not waiting for the client.

        The rest of a complete answer must be read at the slowest rate allowed.
        """
        unread = self.transport.get_write_buffer_size()
        if unread:
            is_end = self.cycle is None or self.cycle.response_complete
            step = self.guard.limits.min_rate * self.guard.limits.patience / 2 if is_end else 1
            return "reading", unread // max(step, 1)
        if self.is_sending and not self.flow.read_paused:
            return "sending", self._n_received
        return ()

    def _probe(self) -> None:
        """Send `100 Continue`, which every client skips, to find out whether the client has left.

        The system reports the second packet sent to a client that has left as an error.
        """
        if self.cycle.response_started or self.scope["http_version"] != "1.1":
            return
        self.transport.write(self.conn.send(h11.InformationalResponse(status_code=100, headers=[])))
        self._call_later("probe", PROBE_SECONDS, self._probe)


class HttpServer(uvicorn.Server):
    """A server that finishes the open requests within the grace period and then returns."""

    def __init__(self, config: uvicorn.Config, limits: Limits) -> None:
        super().__init__(config)
        self._limits = limits

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, with a longer queue than asyncio, which accepts a whole backlog at a time."""
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(BACKLOG)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for the open requests; after the grace period, hang up."""
        loop = asyncio.get_running_loop()
        hanging_up = loop.call_later(self._limits.grace, self._hang_up)
        await super().shutdown(sockets)
        hanging_up.cancel()

    def _hang_up(self) -> None:
        for connection in list(self.server_state.connections):
            assert isinstance(connection, HttpConnection)
            connection.hang_up()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals; unlike uvicorn, do not raise them again after an orderly shutdown."""
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Return False for answers that were broken off, as is done to clients that stall."""
    return not record.getMessage().startswith(BROKEN_OFF)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, or raise an error that says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(
            f"cannot listen on {host} port {port}: {why}; choose another --port"
        ) from error
    except OverflowError:
        raise ValueError(f"a port is a number from 0 to 65535, not {port}") from None


def run(app: Starlette, listening: socket.socket, limits: Limits) -> None:
    """Serve until a signal arrives, then finish the open requests within the grace period."""
    n_files = allow_files(limits.connections + SPARE_FILES)
    limits = replace(limits, connections=min(limits.connections, max(n_files - SPARE_FILES, 1)))
    logging.getLogger("uvicorn.error").addFilter(is_worth_logging)
    config = uvicorn.Config(
        app,
        http=type("GuardedHttpConnection", (HttpConnection,), {"guard": ConnectionGuard(limits)}),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=math.ceil(limits.grace + 1),
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    HttpServer(config, limits).run(sockets=[listening])
    if not app.state.service.close(THREAD_SECONDS):
        # A thread cannot be killed, but nobody waits for its result, and it holds nothing open.
        sys.stderr.flush()
        os._exit(0)


def allow_files(n_files: int) -> int:
    """Raise the limit on open files to `n_files` if possible; return how many are allowed."""
    if sys.platform == "win32":
        return n_files
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= n_files:
        return n_files
    allowed = n_files if hard == resource.RLIM_INFINITY else min(n_files, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed
