"""The loop of a server: from the listening socket to the end, by a signal."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from starlette.types import ASGIApp

from dodona.server.http.connection import HttpConnection, Site
from dodona.server.http.guard import ConnectionGuard
from dodona.server.http.sockets import BACKLOG, allow_files
from dodona.server.http.tls import TlsHandshake
from dodona.server.limits import Limits

ACCEPTED_AT_ONCE = 64  # connections that are accepted before others are served
SPARE_FILES = 100  # open files beside connections
END_SECONDS = 1.0  # for tasks to end after all connections are closed
LOOK_SECONDS = 0.05  # between looks at the open connections during shutdown
ENDING = tuple(
    number
    for name in ("SIGINT", "SIGTERM", "SIGBREAK")
    if (number := getattr(signal, name, None)) is not None
)


def bounded_by_files(limits: Limits) -> Limits:
    """Return the limits with as many connections as the system allows files."""
    n_files = allow_files(limits.connections + SPARE_FILES)
    return replace(limits, connections=min(limits.connections, max(n_files - SPARE_FILES, 1)))


async def serve(
    app: ASGIApp,
    listening: socket.socket,
    guard: ConnectionGuard,
    *,
    tls: ssl.SSLContext | None = None,
    end: asyncio.Event,
) -> None:
    """Serve until `end` is set, then finish the open requests within the grace period."""
    site, loop = Site(app, guard), asyncio.get_running_loop()

    def connect() -> asyncio.Protocol:
        return HttpConnection(site) if tls is None else TlsHandshake(site, tls)

    server = await loop.create_server(connect, sock=listening, backlog=ACCEPTED_AT_ONCE)
    listening.listen(BACKLOG)  # asyncio accepts as many connections at a time as its backlog has
    sweeping = loop.create_task(guard.sweep())
    await end.wait()
    server.close()
    await _finish(site)
    sweeping.cancel()


async def _finish(site: Site) -> None:
    """Wait for the open requests; after the grace period, hang up."""
    loop = asyncio.get_running_loop()
    site.is_ending = True
    for connection in list(site.connections):
        connection.shutdown()
    last = loop.time() + site.guard.limits.grace
    while (site.connections or site.tasks) and loop.time() < last:
        await asyncio.sleep(LOOK_SECONDS)
    for connection in list(site.connections):
        connection.hang_up()
    for task in site.tasks:
        task.cancel()
    if site.tasks:
        await asyncio.wait(site.tasks, timeout=END_SECONDS)


def hold_signals(numbers: Sequence[int]) -> None:
    """Let signals wait until `handle_signals`, where the system can do that."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def handle_signals(handlers: Mapping[int, Callable[[], None]]) -> None:
    """Call functions in the event loop when signals arrive; after its end, ignore them."""
    loop = asyncio.get_running_loop()

    def handle(number: int, _: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the process is about to end
            loop.call_soon_threadsafe(handlers[number])

    for number in handlers:
        signal.signal(number, handle)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, handlers)
