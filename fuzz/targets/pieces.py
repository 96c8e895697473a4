"""Connections of the server: however the bytes of its clients arrive, the answers are the same."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from random import Random
from typing import Any
from zlib import crc32

from starlette.types import Receive, Scope, Send

from dodona.server.http.connection import HttpConnection, Site
from dodona.server.http.guard import ConnectionGuard
from dodona.server.limits import Limits
from fuzz.mutation import BLIND, change_lines, replace_word, words
from fuzz.target import Target, promise
from fuzz.targets.messages import PIECES, SEPARATORS

DATE = re.compile(rb"date: [^\r]*\r\n")
STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
KINDS = ["POST /oak HTTP/1.1\r\nHost: oak\r\n", "GET / HTTP/1.1\r\nHost: oak\r\n\r\n"]
QUIET_TURNS = 3
MOST_TURNS = 1000  # of the event loop, until everything must be answered


class Wire(asyncio.Transport):
    """What a connection has written, and whether it is closed."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 5), "sockname": ("127.0.0.1", 80)})
        self.written = bytearray()
        self.is_closed = self.is_paused = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self if name == "socket" else super().get_extra_info(name, default)

    def setsockopt(self, *_: object) -> None:
        """Stand in for a socket."""

    def write(self, data: Any) -> None:
        promise(not self.is_closed, "nothing is written after the end")
        self.written += data

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def is_closing(self) -> bool:
        return self.is_closed

    def can_write_eof(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        self.is_closed = True

    abort = close


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer by what was asked; of a client that has left, nobody is told."""
    body, has_more = b"", True
    while has_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        has_more = message["more_body"]
    asked = repr((scope["method"], scope["path"], scope["headers"], body)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": asked})


@cache
def loop() -> asyncio.AbstractEventLoop:
    """The one of all connections."""
    return asyncio.new_event_loop()


def run(data: bytes) -> object:
    """Send the bytes at once and in pieces, and compare the answers."""
    cuts = Random(crc32(data))
    pieces, at = [], 0
    while at < len(data):
        pieces.append(data[at : at + cuts.choice((1, 5, 50, 200))])
        at += len(pieces[-1])
    whole, is_closed = loop().run_until_complete(answer([data]))
    found = loop().run_until_complete(answer(pieces))
    promise(found == (whole, is_closed), f"pieces change nothing: {found[0]!r} {whole!r}")
    return tuple(STATUS.findall(whole))[:4], is_closed, min(len(whole) // 200, 5)


async def answer(pieces: list[bytes]) -> tuple[bytes, bool]:
    """Return all that the server answers, and whether it has closed the connection."""
    site, wire = Site(echo, ConnectionGuard(Limits())), Wire()
    connection = HttpConnection(site)
    connection.connection_made(wire)
    for piece in pieces:
        if wire.is_closed:
            break
        connection.data_received(piece)
        await settle(site)
    promise(not wire.is_paused, "the connection reads on")
    is_closed = wire.is_closed
    wire.is_closed = True
    connection.connection_lost(None)
    await settle(site)
    promise(not site.tasks and not site.connections, "nothing is left behind")
    return DATE.sub(b"", bytes(wire.written)), is_closed


async def settle(site: Site) -> None:
    """Let the event loop run until nothing is to be done without more data."""
    n_quiet = 0  # turns in which no task got on; a connection begins one in the turn after the next
    for _ in range(MOST_TURNS):
        await asyncio.sleep(0)
        n_quiet = n_quiet + 1 if all(map(_waits, site.tasks)) else 0
        if n_quiet == QUIET_TURNS:
            return
    promise(False, "every request comes to its end")


def _waits(task: asyncio.Task[None]) -> bool:
    waits_for = getattr(task, "_fut_waiter", None)
    return waits_for is not None and not waits_for.done()


TARGET = Target(
    run=run,
    refuses=(),
    mutators=[*BLIND, change_lines, *[words(*PIECES, *KINDS)] * 3, *[replace_word(SEPARATORS)] * 2],
    longest=800,
)
