"""Connections: what they wait for, their deadlines, and which of them yield to others."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from dodona.server.http.connection import HttpConnection, Site
from dodona.server.http.guard import ConnectionGuard, Phase
from dodona.server.http.sockets import listen
from dodona.server.limits import Limits

GET = b"GET / HTTP/1.1\r\nHost: oak\r\n\r\n"


class Fake:
    """A connection that records whether it was closed."""

    def __init__(self, guard: ConnectionGuard, address: str, phase: Phase = Phase.HEAD) -> None:
        self.address, self.phase = address, Phase.HEAD
        self.is_open = guard.enter(self)
        self._guard = guard
        guard.move(self, phase)

    def hang_up(self) -> None:
        self.is_open = False
        self._guard.leave(self)

    def check(self, now: float) -> None:
        pass


def test_the_address_with_most_unfinished_headers_yields() -> None:
    guard = ConnectionGuard(Limits(heads=3))
    first = Fake(guard, "1.1.1.1")
    others = [Fake(guard, "2.2.2.2") for _ in range(3)]
    assert first.is_open
    assert [other.is_open for other in others] == [False, True, True]
    assert guard.refused == {"heads": 1}


def test_idle_connections_are_no_unfinished_headers() -> None:
    guard = ConnectionGuard(Limits(heads=3))
    idle = [Fake(guard, "1.1.1.1", Phase.IDLE) for _ in range(100)]
    assert all(connection.is_open for connection in idle)


def test_connections_yield_in_the_order_of_their_use() -> None:
    guard = ConnectionGuard(Limits(connections=5))
    phases = [Phase.BUSY, Phase.BODY, Phase.HEAD, Phase.IDLE, Phase.LINGERING]
    made = {phase: Fake(guard, "1.1.1.1", phase) for phase in phases}
    for phase in reversed(phases[1:]):
        assert Fake(guard, "2.2.2.2", Phase.BUSY).is_open
        assert not made[phase].is_open
        assert all(made[other].is_open for other in phases[: phases.index(phase)])
    assert not Fake(guard, "2.2.2.2").is_open  # all are busy


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Read the request and answer it."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


@asynccontextmanager
async def connected(
    app: Any = answer, limits: Limits | None = None
) -> AsyncIterator[tuple[HttpConnection, asyncio.StreamReader, asyncio.StreamWriter]]:
    """Yield a connection of a server, and its client's two sides."""
    loop = asyncio.get_running_loop()
    site = Site(app, ConnectionGuard(limits or Limits()))
    made: list[HttpConnection] = []

    def connect() -> HttpConnection:
        made.append(HttpConnection(site))
        return made[0]

    async with await loop.create_server(connect, sock=listen("127.0.0.1", 0)) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        while not made or not hasattr(made[0], "transport"):
            await asyncio.sleep(0)
        yield made[0], reader, writer
        writer.close()


def run(use: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(use(), 60))  # type: ignore[arg-type]


def test_an_answer_does_not_wait_for_acknowledgements() -> None:
    """Nagle's algorithm would delay all but the first packet by 40 ms."""

    async def use() -> None:
        async with connected() as (connection, _, _):
            own = connection.transport.get_extra_info("socket")
            assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    run(use)


def test_pipelined_requests_are_answered_in_order() -> None:
    async def use() -> None:
        async with connected() as (_, reader, writer):
            names = [b"/%d" % n for n in range(20)]
            writer.write(b"".join(b"GET %b HTTP/1.1\r\nHost: oak\r\n\r\n" % name for name in names))
            writer.write_eof()
            found = await reader.read()
            assert [
                part.rpartition(b"\r\n")[2] for part in found.split(b"HTTP/1.1 200")[1:]
            ] == names

    run(use)


@pytest.mark.parametrize("pieces", [[b"\r\n" * 4 + GET], [b"\r\n"] * 4 + [GET]])
def test_blank_lines_before_a_request_are_skipped_however_they_arrive(pieces: list[bytes]) -> None:
    async def use() -> None:
        async with connected() as (connection, reader, _):
            for piece in pieces:
                connection.data_received(piece)
            assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"

    run(use)


def test_the_timeout_of_headers_begins_with_their_first_byte() -> None:
    async def use() -> None:
        async with connected(limits=Limits(head_timeout=5, keep_alive=100)) as (
            made,
            reader,
            writer,
        ):
            now = asyncio.get_running_loop().time
            assert made._deadline <= now() + 5
            writer.write(GET)
            await reader.readuntil(b"\r\n\r\n")
            while made.phase is not Phase.IDLE:
                await asyncio.sleep(0)
            assert now() + 50 < made._deadline
            writer.write(GET[:20])
            while made.phase is not Phase.HEAD:
                await asyncio.sleep(0.001)
            begun = made._deadline
            assert begun <= now() + 5
            writer.write(GET[20:-2])
            while made._n_received < 2 * len(GET) - 2:
                await asyncio.sleep(0.001)
            assert made._deadline == begun
            writer.write(GET[-2:])
            await reader.readuntil(b"\r\n\r\n")

    run(use)


def test_memory_for_long_headers_comes_from_the_budget() -> None:
    async def use() -> None:
        limits = Limits(memory=150_000)
        async with connected(limits=limits) as (made, reader, writer):
            writer.write(GET[:-2] + b"a: " + b"x" * 100_000)
            while made._n_received < 100_000:
                await asyncio.sleep(0.001)
            assert 90_000 < made._n_held <= 100_100
            writer.write(b"\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n")
            while made.phase is not Phase.IDLE:
                await asyncio.sleep(0)
            assert made._n_held == 0
            made.guard.memory.take(100_000, is_small=True)  # by others
            writer.write(GET[:-2] + b"a: " + b"x" * 100_000)
            with pytest.raises(ConnectionResetError):
                await reader.read()
            assert made.guard.refused == {"memory": 1}

    run(use)


def test_an_answer_that_breaks_off_cannot_pass_as_complete() -> None:
    async def break_off(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})

    async def use() -> None:
        async with connected(break_off) as (_, reader, writer):
            writer.write(b"GET / HTTP/1.0\r\n\r\n")
            with pytest.raises(ConnectionResetError):
                await reader.read()

    run(use)


def test_an_error_of_the_application_is_answered() -> None:
    async def fail(scope: Any, receive: Any, send: Any) -> None:
        raise KeyError("secret")

    async def use() -> None:
        async with connected(fail) as (_, reader, writer):
            writer.write(GET)
            found = await reader.read()
            assert found.startswith(b"HTTP/1.1 500 Internal Server Error")
            assert b"secret" not in found

    run(use)


def test_a_body_is_announced_by_100_continue() -> None:
    async def use() -> None:
        async with connected() as (_, reader, writer):
            writer.write(GET[:-2] + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(b"oak")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")

    run(use)
