"""Short writes are joined and sent without delay, and headers have a timeout."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='needs pip install "dodona[server]"')

import uvicorn
from dodona.server.connections import LONG, ConnectionGuard, GatheringTransport
from dodona.server.uvicorn_adapter import HttpConnection, listen
from uvicorn.server import ServerState

from dodona.server.app import make_app
from dodona.server.limits import Limits
from support.server_lab import models


class Sent:
    """A transport that records its calls."""

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


def gathered(work: Callable[[GatheringTransport], Awaitable[None]]) -> list[bytes | str]:
    """Return the calls of the underlying transport while `work` uses a gathering one."""

    async def run() -> list[bytes | str]:
        sent: Any = Sent()
        await work(GatheringTransport(sent, asyncio.get_running_loop()))
        calls: list[bytes | str] = sent.calls
        return calls

    return asyncio.run(run())


def test_headers_are_sent_with_their_body() -> None:
    async def work(transport: GatheringTransport) -> None:
        transport.write(b"head")
        transport.write(b"x" * LONG)
        transport.write(b"")
        await asyncio.sleep(0)

    assert gathered(work) == [b"head" + b"x" * LONG, b""]


def test_a_short_write_is_sent_in_the_next_iteration_of_the_loop() -> None:
    async def work(transport: GatheringTransport) -> None:
        transport.write(b"100 Continue")
        assert transport.get_write_buffer_size() == 112
        await asyncio.sleep(0)
        assert transport.get_write_buffer_size() == 100

    assert gathered(work) == [b"100 Continue"]


def test_long_writes_are_not_joined() -> None:
    """Otherwise the writer would not notice that the client reads slowly."""

    async def work(transport: GatheringTransport) -> None:
        for _ in range(3):
            transport.write(b"x" * LONG)

    assert gathered(work) == [b"x" * LONG] * 3


def test_close_sends_what_was_written_and_abort_does_not() -> None:
    async def close(transport: GatheringTransport) -> None:
        transport.write(b"bye")
        transport.close()
        assert transport.is_closing()

    async def abort(transport: GatheringTransport) -> None:
        transport.write(b"bye")
        transport.abort()
        await asyncio.sleep(0)

    assert gathered(close) == [b"bye", "close"]
    assert gathered(abort) == ["abort"]


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[HttpConnection, asyncio.StreamWriter]]:
    """Yield a connection of a server, and its client."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[HttpConnection] = loop.create_future()

    class Ready(HttpConnection):
        guard = ConnectionGuard(Limits())

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


def test_an_answer_does_not_wait_for_acknowledgements() -> None:
    """Nagle's algorithm would delay all but the first packet by 40 ms."""

    async def run() -> Any:
        async with connected() as (connection, _):
            own = connection.transport.get_extra_info("socket")
            return own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    assert asyncio.run(run())


def test_the_timeout_of_headers_begins_with_their_first_byte() -> None:
    pieces = b"POST /process HT", b"TP/1.1\r\nHost: localhost\r\n", b"Content-Length: 9\r\n\r\n"

    async def run() -> list[float | None]:
        """Return when the connection would be closed, before the headers and after each part."""
        found = []
        async with connected() as (connection, writer):
            for piece in (b"", *pieces):
                n_bytes = connection._n_received + len(piece)
                writer.write(piece)
                while connection._n_received < n_bytes:
                    await asyncio.sleep(0.001)
                timer = connection._timers.get("headers")
                found.append(None if timer is None else timer.when())
                await asyncio.sleep(0.01)
        return found

    idle, begun, continued, whole = asyncio.run(run())
    assert idle is not None
    assert begun is not None
    assert idle < begun
    assert continued == begun
    assert whole is None
