"""Answers that are made in turns: at once where one turn is enough, else streamed while made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dodona.server.service import Service, service_of

Step = tuple[bytes, int]  # a piece of the answer, and how many words were parsed for it

JSON = "application/json"


async def answer(request: Request, steps: Iterator[Step], media_type: str = JSON) -> Response:
    """What the steps make; what they refuse in their first turns is refused."""
    pieces = _pieces(service_of(request), request, steps)
    first = b""
    async for piece in pieces:
        if not first:
            first = piece
            continue
        if piece:
            return StreamingResponse(_chained(first + piece, pieces), media_type=media_type)
    return Response(first, media_type=media_type)


async def _pieces(
    service: Service, request: Request, steps: Iterator[Step]
) -> AsyncIterator[bytes]:
    async with service.workers.place():
        async for turn in service.workers.turns(steps):
            n_words = sum(n for _, n in turn)
            service.metrics.n_words += n_words
            request.state.n_words = getattr(request.state, "n_words", 0) + n_words
            yield b"".join(piece for piece, _ in turn)


async def _chained(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        if piece:
            yield piece
