"""What is written in one go is sent in one go, nothing is kept back, and heads have their time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='needs pip install "dodona[server]"')

import uvicorn
from uvicorn.server import ServerState

from dodona.server.app import make_app
from dodona.server.connections import LONG, Connection, Gathering, Guard
from dodona.server.limits import Limits
from dodona.server.running import listen
from support.server_lab import models


class Sent:
    """A transport that remembers what it was told."""

    def __init__(self) -> None:
        self.calls: list[bytes | str] = []

    def write(self, data: bytes) -> None:
        self.calls.append(data)

    def close(self) -> None:
        self.calls.append("close")

    def abort(self) -> None:
        self.calls.append("abort")

    def get_write_buffer_size(self) -> int:
        return 100

    def is_closing(self) -> bool:
        return "close" in self.calls


def gathered(work: Callable[[Gathering], Awaitable[None]]) -> list[bytes | str]:
    """What a transport is told when some work is done with one that gathers."""

    async def run() -> list[bytes | str]:
        sent: Any = Sent()
        await work(Gathering(sent, asyncio.get_running_loop()))
        calls: list[bytes | str] = sent.calls
        return calls

    return asyncio.run(run())


def test_a_head_goes_with_its_body() -> None:
    async def work(transport: Gathering) -> None:
        transport.write(b"head")
        transport.write(b"x" * LONG)
        transport.write(b"")
        await asyncio.sleep(0)

    assert gathered(work) == [b"head" + b"x" * LONG, b""]


def test_what_is_short_is_sent_when_the_loop_comes_by() -> None:
    async def work(transport: Gathering) -> None:
        transport.write(b"100 Continue")
        assert transport.get_write_buffer_size() == 112
        await asyncio.sleep(0)
        assert transport.get_write_buffer_size() == 100

    assert gathered(work) == [b"100 Continue"]


def test_long_pieces_are_not_gathered() -> None:
    """Else nothing would tell whoever writes that the client reads slowly."""

    async def work(transport: Gathering) -> None:
        for _ in range(3):
            transport.write(b"x" * LONG)

    assert gathered(work) == [b"x" * LONG] * 3


def test_to_close_sends_what_was_written_and_to_abort_does_not() -> None:
    async def close(transport: Gathering) -> None:
        transport.write(b"bye")
        transport.close()
        assert transport.is_closing()

    async def abort(transport: Gathering) -> None:
        transport.write(b"bye")
        transport.abort()
        await asyncio.sleep(0)

    assert gathered(close) == [b"bye", "close"]
    assert gathered(abort) == ["abort"]


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Connection, asyncio.StreamWriter]]:
    """A connection as a server has it, and its client."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[Connection] = loop.create_future()

    class Ready(Connection):
        guard = Guard(Limits())

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            ready.set_result(self)

    config = uvicorn.Config(make_app(models()), http=Ready, lifespan="off")
    config.load()
    state = ServerState()
    async with await loop.create_server(
        lambda: Ready(config, state, {}), sock=listen("127.0.0.1", 0)
    ) as server:
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        yield await ready, writer
        writer.close()


def test_an_answer_waits_for_no_acknowledgement() -> None:
    """With Nagle's algorithm, what follows a first piece waits 40 ms for the client's system."""

    async def run() -> Any:
        async with connected() as (connection, _):
            own = connection.transport.get_extra_info("socket")
            return own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    assert asyncio.run(run())


def test_a_head_has_its_time_from_its_first_piece_on() -> None:
    pieces = b"POST /process HT", b"TP/1.1\r\nHost: localhost\r\n", b"Content-Length: 9\r\n\r\n"

    async def run() -> list[float | None]:
        """When the connection would be hung up on, before the head and after each piece of it."""
        found = []
        async with connected() as (connection, writer):
            for piece in (b"", *pieces):
                n_bytes = connection._n_received + len(piece)
                writer.write(piece)
                while connection._n_received < n_bytes:
                    await asyncio.sleep(0.001)
                timer = connection._timers.get("head")
                found.append(None if timer is None else timer.when())
                await asyncio.sleep(0.01)
        return found

    idle, begun, continued, whole = asyncio.run(run())
    assert idle is not None
    assert begun is not None
    assert idle < begun
    assert continued == begun
    assert whole is None
