"""What the server uses of uvicorn's internals is there and behaves as the adapter assumes.

When a new version of uvicorn fails here, adapt `dodona.server.uvicorn_adapter` before raising the
upper bound in pyproject.toml.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='needs pip install "dodona[server]"')

import h11
import uvicorn
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from dodona.server.uvicorn_adapter import BROKEN_OFF, RELIED_ON, HttpConnection, HttpServer

HEADERS = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
VERSIONS = f"uvicorn {uvicorn.__version__} with h11 {h11.__version__}"


def expect(is_so: object, what: str) -> None:
    assert is_so, f"{VERSIONS}: dodona.server.uvicorn_adapter relies on this: {what}"


class Transport:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written = b""
        self.is_reading = True

    def write(self, data: bytes) -> None:
        self.written += data

    def get_extra_info(self, name: str) -> Any:
        return {"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)}.get(name)

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads its request and answers it."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def with_protocol(use: Callable[[Any, Transport], Any]) -> None:
    """Use uvicorn's own protocol class, connected to nothing."""

    async def run() -> None:
        config = uvicorn.Config(answer, lifespan="off", access_log=False, log_config=None)
        config.load()
        protocol, transport = H11Protocol(config, ServerState(), {}), Transport()
        expect(protocol.cycle is None, "there is no cycle before the first request")
        protocol.connection_made(transport)  # type: ignore[arg-type]
        await use(protocol, transport)

    asyncio.run(run())


async def until(is_so: Callable[[], bool]) -> bool:
    """Let the event loop run until something holds; False if it never does."""
    for _ in range(1000):
        if is_so():
            return True
        await asyncio.sleep(0)
    return False


def test_every_name_exists() -> None:
    async def use(protocol: Any, transport: Transport) -> None:
        protocol.data_received(HEADERS % 9)
        server = uvicorn.Server(protocol.config)
        found = {
            H11Protocol: protocol,
            RequestResponseCycle: protocol.cycle,
            FlowControl: protocol.flow,
            uvicorn.Server: server,
        }
        assert found.keys() == RELIED_ON.keys()
        for kind, names in RELIED_ON.items():
            expect(type(found[kind]) is kind, f"{kind.__name__} is the class in use")
            for name in names:
                expect(hasattr(found[kind], name), f"{kind.__name__}.{name} exists")
        protocol.data_received(b"123456789")

    with_protocol(use)


def test_overridden_methods_have_the_same_parameters() -> None:
    for ours, theirs in ((HttpConnection, H11Protocol), (HttpServer, uvicorn.Server)):
        for name in RELIED_ON[theirs]:
            if name in vars(ours) and callable(vars(ours)[name]):
                found = [
                    list(inspect.signature(getattr(c, name)).parameters) for c in (ours, theirs)
                ]
                expect(found[0] == found[1], f"the parameters of {theirs.__name__}.{name}")


def test_a_cycle_follows_its_request_and_its_answer() -> None:
    async def use(protocol: Any, transport: Transport) -> None:
        headers = HEADERS % 9
        protocol.data_received(headers[:20])
        expect(protocol.cycle is None, "there is no cycle while headers are incomplete")
        protocol.data_received(headers[20:])
        first = protocol.cycle
        expect(first is not None, "complete headers make a cycle")
        expect(first.more_body is True, "cycle.more_body is True before the body")
        expect(first.response_started is False, "cycle.response_started is False at first")
        expect(protocol.scope["http_version"] == "1.1", "the scope has the HTTP version")
        probe = protocol.conn.send(h11.InformationalResponse(status_code=100, headers=[]))
        expect(probe.startswith(b"HTTP/1.1 100"), "conn.send writes 100 Continue before an answer")
        protocol.data_received(b"123456789")
        expect(first.more_body is False, "cycle.more_body is False after the body")
        expect(await until(lambda: first.response_complete), "cycle.response_complete becomes True")
        expect(first.response_started is True, "cycle.response_started becomes True")
        protocol.data_received(HEADERS % 0)
        expect(protocol.cycle is not first, "the next request has a cycle of its own")
        assert await until(lambda: protocol.cycle.response_complete)

    with_protocol(use)


def test_reading_is_paused_while_the_application_does_not_read() -> None:
    async def use(protocol: Any, transport: Transport) -> None:
        size = HIGH_WATER_LIMIT + 2
        protocol.data_received(HEADERS % size)
        expect(protocol.flow.read_paused is False, "flow.read_paused is False at first")
        protocol.data_received(b"x" * (size - 1))
        expect(protocol.flow.read_paused is True, "a long body sets flow.read_paused")
        assert not transport.is_reading
        expect(
            await until(lambda: not protocol.flow.read_paused),
            "flow.read_paused is False again when the application reads",
        )
        protocol.data_received(b"x")
        assert await until(lambda: protocol.cycle.response_complete)

    with_protocol(use)


def test_an_answer_that_breaks_off_is_logged_as_the_filter_expects(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def use(protocol: Any, transport: Transport) -> None:
        async def break_off(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})

        protocol.app = break_off
        protocol.data_received(HEADERS % 0)
        expect(await until(lambda: bool(caplog.messages)), "a broken-off answer is logged")
        expect(caplog.messages[0].startswith(BROKEN_OFF), "the beginning of the log message")

    with_protocol(use)
