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


async def while_there(request: Request, work: Awaitable[T]) -> T:
    """What is awaited, unless the client leaves: then it is stopped."""
    with CancelScope() as scope:
        watching = asyncio.ensure_future(_watch(request, scope))
        try:
            return await work
        finally:
            watching.cancel()
    raise Refused(GONE, "the client has left")


async def _watch(request: Request, scope: CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


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
