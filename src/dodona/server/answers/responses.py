"""JSON responses, sent piece by piece while the client is connected and reads fast enough."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

from anyio import CancelScope
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from dodona.server.errors import Refused
from dodona.server.service import budget_of, service_of

T = TypeVar("T")

JSON = "application/json"
GONE = 499  # for the log, where the client has disconnected
PIECE = 1 << 16  # bytes that are sent at a time
WATCH_AFTER = 0.1  # seconds; most requests are done before, and need no watching


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Return the awaited result; cancel the work if the client disconnects."""
    with CancelScope() as scope:
        watcher = _DisconnectWatcher(request, scope)
        try:
            return await work
        finally:
            watcher.stop()
    raise Refused(GONE, "the client has disconnected")


class _DisconnectWatcher:
    """Cancels a scope when the client disconnects; starts to watch after a short delay."""

    def __init__(self, request: Request, scope: CancelScope) -> None:
        self._request, self._scope = request, scope
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCH_AFTER, self._begin)

    def stop(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _begin(self) -> None:
        self._task = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass
        self._scope.cancel()


class StreamedJson(Response):
    """A JSON response that is sent while it is being made."""

    def __init__(self, request: Request, pieces: AsyncIterator[bytes]) -> None:
        super().__init__(media_type=JSON)
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        self._request, self._pieces = request, pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await while_connected(self._request, self._send_pieces(send))
        except Refused:
            return  # the connection is closed, so an incomplete answer cannot pass as complete

    @property
    def _start(self) -> Message:
        return {"type": "http.response.start", "status": 200, "headers": self.raw_headers}

    async def _send_pieces(self, send: Send) -> None:
        with service_of(self._request).readers.join() as speed:
            await send(self._start)
            async for piece in self._pieces:
                message = {"type": "http.response.body", "body": piece, "more_body": True}
                await speed.wait(send(message), len(piece))
            await send({"type": "http.response.body", "body": b"", "more_body": False})


class WholeJson(StreamedJson):
    """A complete JSON response, which counts to the memory budget of its request."""

    def __init__(self, request: Request, content: bytes) -> None:
        super().__init__(request, _cut(content))
        self.raw_headers.append((b"content-length", str(len(content)).encode()))
        self._content = content
        budget_of(request).hold(len(content))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response; a short one fits into the connection's buffer."""
        if len(self._content) > PIECE:
            await super().__call__(scope, receive, send)
            return
        await send(self._start)
        await send({"type": "http.response.body", "body": self._content, "more_body": False})


async def _cut(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), PIECE):
        yield content[start : start + PIECE]
