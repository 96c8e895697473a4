"""One request and its answer, as the ASGI application sees them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Protocol
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Scope

from dodona.server.http.messages import Body, Head
from dodona.server.service import WHOLE_BODY

HIGH_WATER = 1 << 16  # bytes of a body that wait for the application
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
WITHOUT_BODY = (204, 304)
STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
FAILED = (500, b"internal server error\n")


class Client(Protocol):
    """What an exchange needs of its connection."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def drain(self) -> Awaitable[None] | None:
        """Return what to wait for until the client has read most of what was sent."""

    def resume(self) -> None:
        """Go on reading from the client."""

    def end(self, exchange: Exchange) -> None:
        """Finish an exchange, whose answer is complete or cannot be completed."""


class Exchange:
    """A request whose body may still arrive, and its answer."""

    def __init__(self, client: Client, head: Head, scope: Scope) -> None:
        self.head, self.scope = head, scope
        scope["state"][WHOLE_BODY] = self.take_whole
        self.body = Body(head.length)
        self.is_begun = self.is_complete = False  # the answer
        self.keeps_alive = head.keeps_alive
        self.is_lost = False  # the client has left
        self._client = client
        self._waiting: asyncio.Future[None] | None = None  # for the body, or the client's leaving
        self._awaits_continue = head.awaits_continue
        self._received = bytearray()
        self._is_read = False  # the application has the whole body
        self._start: Message | None = None
        self._is_chunked = False

    @property
    def is_full(self) -> bool:
        """Whether the application should read before more of the body arrives."""
        return len(self._received) >= HIGH_WATER

    def feed(self, data: bytes) -> None:
        """Take a piece of the body from the client; raise Refused if it is malformed."""
        found = self.body.feed(data)
        if not self.is_complete:
            self._received += found
            self.wake()

    def lose(self) -> None:
        """Note that the client has left."""
        self.is_lost = True
        self.wake()

    def wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def run(self, app: ASGIApp, report: Callable[[Exception], None]) -> None:
        """Answer by an application; an error of it is reported and answered by a status of 500."""
        try:
            await app(self.scope, self.receive, self.send)
        except Exception as error:
            report(error)
            if not self.is_begun:
                await self.refuse(*FAILED)
        finally:
            self._client.end(self)

    async def refuse(self, status: int, body: bytes) -> None:
        """Answer without an application, and close the connection."""
        self.keeps_alive = False
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    def take_whole(self) -> bytes | None:
        """Return the body if all of it has arrived and none was read; None otherwise."""
        if not self.body.is_complete or self._is_read:
            return None
        self._is_read = True
        data, self._received = bytes(self._received), bytearray()
        return data

    async def receive(self) -> Message:
        """Return the next piece of the body, or wait until the client has left."""
        if self._awaits_continue and not self.is_begun:
            self._client.write(CONTINUE)
        self._awaits_continue = False
        while not (self.is_lost or self.is_complete):
            if self._received or (self.body.is_complete and not self._is_read):
                data, self._received = bytes(self._received), bytearray()
                self._is_read = self.body.is_complete
                if not self._is_read:
                    self._client.resume()
                return {"type": "http.request", "body": data, "more_body": not self._is_read}
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send a part of the answer; its headers leave together with the first bytes."""
        if waiting := self._client.drain():
            await waiting
        if self.is_lost:
            return
        if message["type"] == "http.response.start":
            self._start = message
            return
        body: bytes = message.get("body", b"")
        is_last = not message.get("more_body", False)
        data = b""
        if not self.is_begun:
            assert self._start is not None
            data = self._write_head(self._start, len(body) if is_last else None)
        if self.head.method != "HEAD":
            data += self._frame(body, is_last)
        self.is_begun, self.is_complete = True, is_last
        if data:
            self._client.write(data)
        if is_last:
            self.wake()
            self._client.end(self)

    def _frame(self, body: bytes, is_last: bool) -> bytes:
        if not self._is_chunked:
            return body
        data = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
        return data + b"0\r\n\r\n" if is_last else data

    def _write_head(self, start: Message, length: int | None) -> bytes:
        """Return the status line and the headers; the length of the body is added if known."""
        status = start["status"]
        lines = [STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status]
        has_length = status in WITHOUT_BODY
        for name, value in start.get("headers", ()):
            if name == b"content-length":
                has_length = True
            elif name == b"connection":
                self.keeps_alive &= b"close" not in value.lower()
                continue
            lines.append(b"%b: %b\r\n" % (name, value))
        if not has_length:
            if length is not None:
                lines.append(b"content-length: %d\r\n" % length)
            elif self.head.version == "1.1":
                self._is_chunked = True
                lines.append(b"transfer-encoding: chunked\r\n")
            else:
                self.keeps_alive = False
        if not self.body.is_complete:  # the rest of the request is not read
            self.keeps_alive &= length is None
        if not self.keeps_alive:
            lines.append(b"connection: close\r\n")
        lines.append(date_line(int(time.time())))
        found = b"".join(lines)
        assert found.count(b"\n") == len(lines), "a header contains a line break"
        return found + b"\r\n"


@lru_cache(maxsize=1)
def date_line(now: int) -> bytes:
    """Return the Date header; it changes once a second.

    >>> date_line(0)
    b'date: Thu, 01 Jan 1970 00:00:00 GMT\\r\\n'
    """
    return f"date: {formatdate(now, usegmt=True)}\r\n".encode()


def make_scope(
    head: Head, *, client: tuple[str, int] | None, server: tuple[str, int | None], scheme: str
) -> Scope:
    """Return the ASGI scope of a request."""
    path, _, query = head.target.partition(b"?")
    if not path.startswith(b"/"):  # the absolute form, which proxies use: http://host/path
        path = b"/" + path.partition(b"://")[2].partition(b"/")[2]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": head.version,
        "server": server,
        "client": client,
        "scheme": scheme,
        "method": head.method,
        "root_path": "",
        "path": unquote(path.decode()) if b"%" in path else path.decode(),
        "raw_path": path,
        "query_string": query,
        "headers": head.headers,
        "state": {},
    }
