"""JSON answers: made in turns by threads or by an explorer process, and sent piece by piece."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from threading import Lock
from typing import TypeVar

from anyio import CancelScope
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from dodona.server.client_speed import YIELD_SECONDS
from dodona.server.errors import Refused, note_refusal
from dodona.server.service import RequestSlots, Service, budget_of, service_of
from dodona.server.workers import Errand, Parsing, Turn

T = TypeVar("T")

JSON = b"application/json"
GONE = 499  # for the log, where the client has disconnected
PIECE = 1 << 16  # bytes that are sent at a time
PATIENCE = 1.0  # seconds that a request waits for a slot: bursts are shorter
WATCH_AFTER = 0.1  # seconds; most requests are done before, and need no watching
# a piece of the answer and the number of words parsed for it, or what others should do
Step = tuple[bytes, int] | Errand | Parsing

Pieces = AsyncIterator[tuple[bytes, bool]]  # of an answer, and whether each is the last

# Bounds memory: only one long request at a time exists as bytes, text and JSON. It costs no speed,
# since the GIL lets only one request be decoded at a time anyway.
_READING = Lock()
SHORT = 1 << 14  # bytes


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Return the awaited result; cancel the work if the client disconnects."""
    with CancelScope() as scope:
        watcher = _DisconnectWatcher(request, scope)
        try:
            return await work
        finally:
            watcher.stop()
    raise Refused(GONE, "the client has disconnected", reason="disconnected")


class _DisconnectWatcher:
    """Cancels a scope when the client disconnects; starts to watch after a short delay."""

    def __init__(self, request: Request, scope: CancelScope) -> None:
        self._request, self._scope = request, scope
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCH_AFTER, self._begin)

    def stop(self) -> None:
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
        # Starlette's own initialiser would encode the headers anew each time
        self.raw_headers = [(b"content-type", JSON)]
        self._request, self._pieces = request, pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await while_connected(self._request, self._send_pieces(send))
        except Refused as refused:
            note_refusal(
                scope, refused
            )  # the connection is closed, so an incomplete answer cannot pass as complete

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
        self.raw_headers.append((b"content-length", b"%d" % len(content)))
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


async def answer(request: Request, begin: Callable[[], Iterator[Step]], n_bytes: int) -> Response:
    """Return the response that the steps of `begin` make; they may refuse in their first turns.

    `begin` runs in a worker thread, since decoding a request may take long; long requests are
    decoded one at a time.
    """
    service = service_of(request)
    if n_bytes > SHORT:
        pieces = _make(request, _steps(begin, _READING), service.long_slots)
        return await while_connected(request, _answer(request, b"", pieces))
    steps = _steps(begin, nullcontext())
    await free_a_slot(service)
    with service.slots.take():
        turn = await service.workers.turn(steps, n_bytes=n_bytes)
    first = _join(request, turn)
    if turn.is_done:  # as most short requests are after a turn, which is not worth watching
        return WholeJson(request, first)
    # takes the slot again before anybody else can
    pieces = _make(request, steps, errand=turn.errand)
    return await while_connected(request, _answer(request, first, pieces))


async def answer_by_explorer(request: Request, name: str, body: bytearray) -> Response:
    """Return the response that an explorer process makes."""
    service = service_of(request)

    async def work() -> bytes:
        await free_a_slot(service)
        with service.slots.take(), service.explorer_slots.take():
            return await service.explorers.ask(name, bytes(body))

    try:
        return WholeJson(request, await while_connected(request, work()))
    except TimeoutError:
        why = f"exploring took more than {service.limits.explore_timeout:g} seconds"
        why += "; try a shorter sentence or fewer arcs"
        raise Refused(503, why, reason="explore_timeout") from None


async def free_a_slot(service: Service, own: RequestSlots | None = None) -> None:
    """Wait a moment for a slot while all of them, or those of a kind, are taken.

    Clients that read their answers slowly are cancelled for it.
    """
    last = time.monotonic() + PATIENCE
    while service.slots.is_full or (own is not None and own.is_full):
        if not service.readers.drop_slowest() and time.monotonic() > last:
            return
        await asyncio.sleep(YIELD_SECONDS)


async def _answer(request: Request, first: bytes, pieces: Pieces) -> Response:
    async for piece, is_last in pieces:
        if first and piece and not is_last:
            return StreamedJson(request, _chain(first + piece, pieces))
        first += piece
    return WholeJson(request, first)


async def _make(
    request: Request,
    steps: Iterator[Step],
    own: RequestSlots | None = None,
    errand: Errand | None = None,
) -> Pieces:
    """Yield an answer in pieces, one per turn.

    `own` are the slots of this kind of request; `errand` is to be done before the next turn.
    """
    service = service_of(request)
    await free_a_slot(service, own)
    with service.slots.take(), nullcontext() if own is None else own.take():
        is_done = False
        while not is_done:
            if errand is not None:
                with suppress(TimeoutError, Refused):
                    errand.answer = await service.explorers.ask(errand.name, errand.body)
            turn: Turn[tuple[bytes, int]] = await service.workers.turn(steps)
            errand, is_done = turn.errand, turn.is_done
            yield _join(request, turn), is_done


def _join(request: Request, turn: Turn[tuple[bytes, int]]) -> bytes:
    """Return the piece that a turn has made, and count its words."""
    if n_words := sum(n for _, n in turn.found):
        service_of(request).count_words(request.scope, n_words)
    return b"".join([piece for piece, _ in turn.found])


def _steps(
    begin: Callable[[], Iterator[Step]], reading: AbstractContextManager[object]
) -> Iterator[Step]:
    with reading:
        steps = begin()
    yield from steps


async def _chain(first: bytes, rest: Pieces) -> AsyncIterator[bytes]:
    yield first
    async for piece, _ in rest:
        if piece:
            yield piece


def encode(value: object) -> bytes:
    """Encode a value as compact JSON.

    >>> encode({"form": "chêne"}).decode()
    '{"form":"chêne"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
