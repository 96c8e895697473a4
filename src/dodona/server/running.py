"""Uvicorn run our way: it listens where it can, and a signal ends it in good order and in time."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from starlette.applications import Starlette

from dodona.server.connections import Connection, Guard
from dodona.server.limits import Limits

MOST_HEAD = 1 << 17  # bytes of a request's address and headers: /process takes data there
BACKLOG = 1024  # connections that the system keeps for us
AT_ONCE = 64  # of them that are taken before others are looked after
SPARE_FILES = 100  # beside connections
LAST_SECONDS = 2.0  # for threads, after everybody has been hung up on


class Server(uvicorn.Server):
    """Finishes what is under way when told to stop, and then simply returns."""

    def __init__(self, config: uvicorn.Config, limits: Limits) -> None:
        super().__init__(config)
        self._limits = limits

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Asyncio has but one number for two things: what is kept, and what is taken at once."""
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(BACKLOG)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Who is still there when the time is over is hung up on."""
        loop = asyncio.get_running_loop()
        hanging_up = loop.call_later(self._limits.grace, self._hang_up)
        await super().shutdown(sockets)
        hanging_up.cancel()

    def _hang_up(self) -> None:
        for connection in list(self.server_state.connections):
            assert isinstance(connection, Connection)
            connection.hang_up()

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
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(
            f"cannot listen on {host} port {port}: {why}; choose another --port"
        ) from error
    except OverflowError:
        raise ValueError(f"a port is a number from 0 to 65535, not {port}") from None


def run(app: Starlette, listening: socket.socket, limits: Limits) -> None:
    """Serve until a signal comes, then finish what is under way, but not for long."""
    n_files = allow_files(limits.connections + SPARE_FILES)
    limits = replace(limits, connections=min(limits.connections, max(n_files - SPARE_FILES, 1)))
    logging.getLogger("uvicorn.error").addFilter(_is_ours)
    config = uvicorn.Config(
        app,
        http=type("GuardedConnection", (Connection,), {"guard": Guard(limits)}),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        backlog=AT_ONCE,
        timeout_graceful_shutdown=math.ceil(limits.grace + 1),
        h11_max_incomplete_event_size=MOST_HEAD,
    )
    Server(config, limits).run(sockets=[listening])
    if not app.state.service.close(LAST_SECONDS):
        # a thread cannot be ended; but what it does is for nobody, and holds nothing open
        sys.stderr.flush()
        os._exit(0)


def allow_files(n_files: int) -> int:
    """Ask the system for so many open files; how many it gives, where it counts them."""
    if sys.platform == "win32":
        return n_files
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= n_files:
        return n_files
    most = n_files if hard == resource.RLIM_INFINITY else min(n_files, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def _is_ours(record: logging.LogRecord) -> bool:
    """Not an answer that was broken off: that is how clients that hang are treated."""
    return not record.getMessage().startswith("ASGI callable returned without")
