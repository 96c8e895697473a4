"""Answers that are made in turns: at once where one turn is enough, else streamed while made."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response

from dodona.server.answers.handing import Flowing, Whole, while_there
from dodona.server.errors import Refused
from dodona.server.pace import BREATH
from dodona.server.service import Service, service_of

Step = tuple[bytes, int]  # a piece of the answer, and how many words were parsed for it

# The interpreter reads one request at a time anyway, but between two calls it may go to another:
# this way there is only one long one that is there as bytes, as text and as JSON at the same time.
# Short ones need not wait for each other.
_READING = Lock()
SHORT = 1 << 16  # bytes


async def answer(request: Request, begin: Callable[[], Iterator[Step]], n_bytes: int) -> Response:
    """What the steps make that `begin` gives; what they refuse in their first turns is refused.

    A worker begins, so that a request which takes long to read holds up nobody, either; one of
    many bytes is read while no other such is.
    """
    steps = _steps(begin, nullcontext() if n_bytes <= SHORT else _READING)
    return await while_there(request, _answer(request, steps))


async def answer_by_helper(request: Request, name: str, body: bytearray) -> Response:
    """What a helper makes of a request; its work is not cut into steps, but it can be ended."""
    service = service_of(request)

    async def work() -> bytes:
        await make_room(service)
        with service.places.take(), service.explorer_places.take():
            return await service.helpers.ask(name, body)

    try:
        return Whole(request, await while_there(request, work()))
    except TimeoutError:
        why = f"this was explored for more than {service.limits.explore_seconds:g} seconds"
        raise Refused(503, f"{why}; take a shorter sentence, or fewer arcs") from None


async def make_room(service: Service) -> None:
    """Where all places are taken, who takes an answer slowly gives way."""
    while service.places.are_taken and service.takers.make_room():
        await asyncio.sleep(BREATH)


async def _answer(request: Request, steps: Iterator[Step]) -> Response:
    pieces = _make(request, steps)
    first = b""
    async for piece in pieces:
        if not first:
            first = piece
            continue
        if piece:
            return Flowing(request, _go_on(first + piece, pieces))
    return Whole(request, first)


async def _make(request: Request, steps: Iterator[Step]) -> AsyncIterator[bytes]:
    service = service_of(request)
    await make_room(service)
    with service.places.take():
        async for turn in service.workers.turns(steps):
            if n_words := sum(n for _, n in turn):
                service.count_words(request.scope, n_words)
            yield b"".join(piece for piece, _ in turn)


def _steps(
    begin: Callable[[], Iterator[Step]], reading: AbstractContextManager[object]
) -> Iterator[Step]:
    with reading:
        steps = begin()
    yield from steps


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
