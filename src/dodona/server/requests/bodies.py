"""Request bodies, within the limits on size and time: read whole, or while they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator

from anyio import fail_after, from_thread
from starlette.requests import Request
from starlette.types import Message, Receive

from dodona.server.client_speed import YIELD_SECONDS, ClientGroup, ClientSpeed
from dodona.server.errors import CLOSE, Refused, bad
from dodona.server.headers import find_header
from dodona.server.memory_budget import ADVICE, RequestBudget
from dodona.server.service import WHOLE_BODY, budget_of, service_of

HIGH_WATER = 1 << 16  # bytes: of short bodies, the server knows when they have arrived
COPIES = 3  # in memory: the body, its text, and the sentences with their answer
JSON = ("application/json",)
INPUTS = ("text", "conllu")  # formats of a body that is read while it arrives


async def read_body(
    request: Request, kinds: Collection[str] = (), max_bytes: int | None = None
) -> bytearray:
    """Read the whole body or refuse the request; `kinds` are the media types allowed."""
    limits = service_of(request).limits
    check_coding(find_header(request.scope, b"content-encoding"))
    if kinds:
        check_kind(find_header(request.scope, b"content-type") or "", kinds)
    most = min(max_bytes or limits.max_size, limits.max_size)
    take_whole = request.scope["state"].get(WHOLE_BODY)
    if take_whole is not None and _announced(request, most) <= HIGH_WATER:
        whole: bytes | None = take_whole()
        if whole is not None and len(whole) <= most:  # most requests: nothing to wait for
            budget_of(request).hold(COPIES * len(whole))
            return bytearray(whole)
    try:
        with fail_after(limits.timeout):
            return await _gather(request, most)
    except TimeoutError:
        why = f"the request did not arrive within {limits.timeout:g} seconds"
        raise Refused(408, why, CLOSE, reason="timeout") from None


def check_kind(content_type: str, kinds: Collection[str]) -> None:
    """Refuse a body of another media type.

    Without a CORS preflight, a foreign page may only send text and forms; so requiring JSON also
    keeps foreign pages from using the server.

    >>> check_kind("application/json; charset=utf-8", JSON)
    >>> check_kind("text/plain", JSON)
    Traceback (most recent call last):
    dodona.server.errors.Refused: the request has Content-Type text/plain; send application/json
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in kinds:
        shown = f"Content-Type {kind[:100]}" if kind else "no Content-Type"
        why = f"the request has {shown}; send {' or '.join(kinds)}"
        raise Refused(415, why, CLOSE, reason="media_type")


def check_coding(coding: str | None) -> None:
    """Refuse a compressed body: a small one may become a large one.

    >>> check_coding("gzip")
    Traceback (most recent call last):
    dodona.server.errors.Refused: the request has Content-Encoding gzip; send it uncompressed
    """
    if coding is not None and coding.strip().lower() not in ("", "identity"):
        shown = coding[:100] if coding.isprintable() else "of an unknown kind"
        why = f"the request has Content-Encoding {shown}; send it uncompressed"
        raise Refused(415, why, {**CLOSE, "Accept-Encoding": "identity"}, reason="media_type")


def body_of(message: Message) -> bytes:
    """Return the chunk of a body in an ASGI message."""
    if message["type"] == "http.disconnect":
        raise Refused(400, "the connection was closed before the whole request arrived")
    found: bytes = message.get("body", b"")
    return found


async def _gather(request: Request, max_bytes: int) -> bytearray:
    """Read the body; memory for the announced length is taken first, for more as it arrives."""
    allowed, senders = budget_of(request), service_of(request).senders
    n_held = _announced(request, max_bytes)
    await _hold(allowed, n_held, senders)
    body, has_more = bytearray(), True
    with senders.join() as speed:
        while has_more:
            message = await speed.wait(request.receive())
            chunk = body_of(message)
            has_more = message.get("more_body", False)
            n_bytes = len(body) + len(chunk)
            if n_bytes > max_bytes:
                raise _too_large(max_bytes)
            if n_bytes > n_held:
                await _hold(allowed, n_bytes - n_held, senders)
                n_held = n_bytes
            body += chunk
            speed.count(len(chunk))
    return body


def _announced(request: Request, max_bytes: int) -> int:
    """Return the Content-Length; 0 if there is none."""
    announced = find_header(request.scope, b"content-length")
    if announced is None:
        return 0
    if not announced.isdecimal():
        raise bad("Content-Length is not a number")
    if len(announced) > len(str(max_bytes)) or int(announced) > max_bytes:
        raise _too_large(max_bytes)
    return int(announced)


async def _hold(allowed: RequestBudget, n_bytes: int, senders: ClientGroup) -> None:
    """Take memory for bytes of a body; if none is left, slow senders are cancelled."""
    while True:
        try:
            return allowed.hold(COPIES * n_bytes)
        except Refused as refused:
            if refused.status != 503 or not senders.drop_slowest():
                raise
        await asyncio.sleep(YIELD_SECONDS)


def _too_large(max_bytes: int) -> Refused:
    why = f"the request has more than {max_bytes:,} bytes; {ADVICE}"
    return Refused(413, why, CLOSE, reason="max_size")


class BodyStream:
    """A request body that a thread reads while it arrives, at no less than the minimum rate."""

    def __init__(self, receive: Receive, speed: ClientSpeed) -> None:
        self._receive, self._speed = receive, speed
        self._has_more = True

    def chunks(self) -> Iterator[bytes]:
        """Yield the chunks as they arrive; called from a thread."""
        while self._has_more:
            yield from_thread.run(self._read)

    async def _read(self) -> bytes:
        message = await self._speed.wait(self._receive())
        chunk = body_of(message)
        self._has_more = message.get("more_body", False)
        self._speed.count(len(chunk))
        return chunk
