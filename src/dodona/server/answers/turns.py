"""Answers that are made in turns: at once where one turn is enough, else streamed while made."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dodona.server.service import service_of

Step = tuple[bytes, int]  # a piece of the answer, and how many words were parsed for it

JSON = "application/json"


async def answer(request: Request, begin: Callable[[], Iterator[Step]]) -> Response:
    """What the steps make that `begin` gives; what they refuse in their first turns is refused.

    A worker begins, so that a request which takes long to read holds up nobody, either.
    """
    pieces = _make(request, begin)
    first = b""
    async for piece in pieces:
        if not first:
            first = piece
            continue
        if piece:
            return StreamingResponse(_go_on(first + piece, pieces), media_type=JSON)
    return Response(first, media_type=JSON)


async def _make(request: Request, begin: Callable[[], Iterator[Step]]) -> AsyncIterator[bytes]:
    service = service_of(request)
    with service.workers.places.take():
        async for turn in service.workers.turns(_steps(begin)):
            if n_words := sum(n for _, n in turn):
                service.count_words(request.scope, n_words)
            yield b"".join(piece for piece, _ in turn)


def _steps(begin: Callable[[], Iterator[Step]]) -> Iterator[Step]:
    yield from begin()


async def _go_on(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        if piece:
            yield piece


def encode(value: object) -> bytes:
    """A value in JSON, as short as it can be.

    >>> encode({"form": "chêne"}).decode()
    '{"form":"chêne"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
