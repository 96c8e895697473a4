"""Scheduling of answers: made in turns by worker threads, or by an explorer process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response

from dodona.server.answers.responses import StreamedJson, WholeJson, while_connected
from dodona.server.client_speed import YIELD_SECONDS
from dodona.server.errors import Refused
from dodona.server.service import Service, service_of

Step = tuple[bytes, int]  # a piece of the answer, and the number of words parsed for it

# Bounds memory: only one long request at a time exists as bytes, text and JSON. It costs no speed,
# since the GIL lets only one request be decoded at a time anyway.
_READING = Lock()
SHORT = 1 << 16  # bytes


async def answer(request: Request, begin: Callable[[], Iterator[Step]], n_bytes: int) -> Response:
    """Return the response that the steps of `begin` make; they may refuse in their first turns.

    `begin` runs in a worker thread, since decoding a request may take long; long requests are
    decoded one at a time.
    """
    steps = _steps(begin, nullcontext() if n_bytes <= SHORT else _READING)
    return await while_connected(request, _answer(request, steps))


async def answer_by_explorer(request: Request, name: str, body: bytearray) -> Response:
    """Return the response that an explorer process makes."""
    service = service_of(request)

    async def work() -> bytes:
        await free_a_slot(service)
        with service.slots.take(), service.explorer_slots.take():
            return await service.explorers.ask(name, body)

    try:
        return WholeJson(request, await while_connected(request, work()))
    except TimeoutError:
        why = f"exploring took more than {service.limits.explore_timeout:g} seconds"
        raise Refused(503, f"{why}; try a shorter sentence or fewer arcs") from None


async def free_a_slot(service: Service) -> None:
    """Cancel clients that read their answers slowly, if all slots are occupied."""
    while service.slots.is_full and service.readers.drop_slowest():
        await asyncio.sleep(YIELD_SECONDS)


async def _answer(request: Request, steps: Iterator[Step]) -> Response:
    pieces = _make(request, steps)
    first = b""
    async for piece in pieces:
        if not first:
            first = piece
            continue
        if piece:
            return StreamedJson(request, _chain(first + piece, pieces))
    return WholeJson(request, first)


async def _make(request: Request, steps: Iterator[Step]) -> AsyncIterator[bytes]:
    service = service_of(request)
    await free_a_slot(service)
    with service.slots.take():
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


async def _chain(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        if piece:
            yield piece


def encode(value: object) -> bytes:
    """Encode a value as compact JSON.

    >>> encode({"form": "chêne"}).decode()
    '{"form":"chêne"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
