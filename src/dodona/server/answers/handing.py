"""Answers on their way: piece by piece, as fast as a client takes them, as long as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

from anyio import CancelScope
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from dodona.server.errors import Refused
from dodona.server.service import allowance_of, service_of

T = TypeVar("T")

JSON = "application/json"
GONE = 499  # a status for the log: nobody is there to see it
PIECE = 1 << 16  # bytes that are handed over at a time
SOON = 0.1  # seconds in which it does not matter that a client has left


async def while_there(request: Request, work: Awaitable[T]) -> T:
    """What is awaited, unless the client leaves: then it is stopped."""
    with CancelScope() as scope:
        watch = _Watch(request, scope)
        try:
            return await work
        finally:
            watch.end()
    raise Refused(GONE, "the client has left")


class _Watch:
    """Cancels what is done for a client that leaves; after a while, since most is done by then."""

    def __init__(self, request: Request, scope: CancelScope) -> None:
        self._request, self._scope = request, scope
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(SOON, self._begin)

    def end(self) -> None:
        """It is done."""
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _begin(self) -> None:
        self._task = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass
        self._scope.cancel()


class Flowing(Response):
    """An answer in JSON that is handed over while it is made."""

    def __init__(self, request: Request, pieces: AsyncIterator[bytes]) -> None:
        super().__init__(media_type=JSON)
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        self._request, self._pieces = request, pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await while_there(self._request, self._hand_over(send))
        except Refused:
            # it has begun, so it breaks off with the connection: it must not look whole
            return

    @property
    def _start(self) -> Message:
        return {"type": "http.response.start", "status": 200, "headers": self.raw_headers}

    async def _hand_over(self, send: Send) -> None:
        with service_of(self._request).takers.join() as pace:
            await send(self._start)
            async for piece in self._pieces:
                message = {"type": "http.response.body", "body": piece, "more_body": True}
                await pace.wait(send(message), len(piece))
            await send({"type": "http.response.body", "body": b"", "more_body": False})


class Whole(Flowing):
    """One that is made already; what is not taken yet is held by its request."""

    def __init__(self, request: Request, content: bytes) -> None:
        super().__init__(request, _cut(content))
        self.raw_headers.append((b"content-length", str(len(content)).encode()))
        self._content = content
        allowance_of(request).hold(len(content))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A short one fits into the connection's buffer: nobody is waited for, or watched."""
        if len(self._content) > PIECE:
            await super().__call__(scope, receive, send)
            return
        await send(self._start)
        await send({"type": "http.response.body", "body": self._content, "more_body": False})


async def _cut(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), PIECE):
        yield content[start : start + PIECE]
