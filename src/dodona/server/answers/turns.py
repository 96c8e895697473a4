"""Answers that are made in turns: at once where one turn is enough, else streamed while made."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from threading import Lock
from typing import TypeVar

from anyio import CancelScope
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from dodona.server.errors import Refused
from dodona.server.service import allowance_of, service_of

T = TypeVar("T")

Step = tuple[bytes, int]  # a piece of the answer, and how many words were parsed for it

JSON = "application/json"
GONE = 499  # a status for the log: nobody is there to see it
PIECE = 1 << 16  # bytes that are handed over at a time

# The interpreter reads one request at a time anyway, but between two calls it may go to another:
# this way there is only one that is there as bytes, as text and as JSON at the same time.
_READING = Lock()


async def answer(request: Request, begin: Callable[[], Iterator[Step]]) -> Response:
    """What the steps make that `begin` gives; what they refuse in their first turns is refused.

    A worker begins, so that a request which takes long to read holds up nobody, either.
    """
    return await while_there(request, _answer(request, begin))


async def answer_by_helper(request: Request, name: str, body: bytearray) -> Response:
    """What a helper makes of a request; its work is not cut into steps, but it can be ended."""
    service = service_of(request)

    async def work() -> Response:
        with service.places.take():
            return Taken(await service.helpers.ask(name, body), media_type=JSON)

    try:
        return await while_there(request, work())
    except TimeoutError:
        why = f"this was explored for more than {service.limits.explore_seconds:g} seconds"
        raise Refused(503, f"{why}; take a shorter sentence, or fewer arcs") from None


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


async def _answer(request: Request, begin: Callable[[], Iterator[Step]]) -> Response:
    pieces = _make(request, begin)
    first = b""
    async for piece in pieces:
        if not first:
            first = piece
            continue
        if piece:
            return StreamingResponse(_go_on(first + piece, pieces), media_type=JSON)
    return Taken(first, media_type=JSON)


async def _make(request: Request, begin: Callable[[], Iterator[Step]]) -> AsyncIterator[bytes]:
    service = service_of(request)
    with service.places.take():
        async for turn in service.workers.turns(_steps(begin)):
            if n_words := sum(n for _, n in turn):
                service.count_words(request.scope, n_words)
            yield b"".join(piece for piece, _ in turn)


def _steps(begin: Callable[[], Iterator[Step]]) -> Iterator[Step]:
    with _READING:
        steps = begin()
    yield from steps


async def _go_on(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        if piece:
            yield piece


class Taken(Response):
    """An answer that is there as a whole, and leaves memory only as fast as it is taken."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Piece by piece: what is handed over at once is held by nobody's allowance."""
        allowance_of(Request(scope)).hold(len(self.body))
        head = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(head)
        pieces = range(0, max(len(self.body), 1), PIECE)
        for start in pieces:
            await send(
                {
                    "type": "http.response.body",
                    "body": self.body[start : start + PIECE],
                    "more_body": start != pieces[-1],
                }
            )


def encode(value: object) -> bytes:
    """A value in JSON, as short as it can be.

    >>> encode({"form": "chêne"}).decode()
    '{"form":"chêne"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
