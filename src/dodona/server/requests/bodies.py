"""The body of a request: of the right kind, not too large, not too slow."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from anyio import fail_after
from starlette.requests import Request
from starlette.types import Message

from dodona.server.errors import CLOSE, Refused, bad
from dodona.server.memory import ELSE, Allowance
from dodona.server.pace import BREATH, Crowd
from dodona.server.service import allowance_of, service_of

# a body, what is read from it (a text, words), and what is made of that (sentences, an answer)
COPIES = 3
JSON = ("application/json",)


async def read_body(
    request: Request, kinds: Collection[str] = (), most: int | None = None
) -> bytearray:
    """All of it, or a clear refusal; `kinds` are the media types that it may have."""
    limits = service_of(request).limits
    if kinds:
        check_kind(request.headers.get("content-type", ""), kinds)
    try:
        with fail_after(limits.seconds):
            return await _gather(request, min(most or limits.max_bytes, limits.max_bytes))
    except TimeoutError:
        why = f"the request did not arrive within {limits.seconds:g} seconds"
        raise Refused(408, why, CLOSE) from None


def check_kind(content_type: str, kinds: Collection[str]) -> None:
    """Refuse a body of another kind.

    A page from anywhere may send text and forms without asking, but nothing else; so this also
    keeps foreign pages from having work done.

    >>> check_kind("application/json; charset=utf-8", JSON)
    >>> check_kind("text/plain", JSON)
    Traceback (most recent call last):
    dodona.server.errors.Refused: a request of Content-Type text/plain; send application/json
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in kinds:
        shown = f"of Content-Type {kind[:100]}" if kind else "without Content-Type"
        raise Refused(415, f"a request {shown}; send {' or '.join(kinds)}", CLOSE)


def body_of(message: Message) -> bytes:
    """The part of a body that arrived."""
    if message["type"] == "http.disconnect":
        raise Refused(400, "the connection was closed before the request had arrived")
    found: bytes = message.get("body", b"")
    return found


async def _gather(request: Request, most: int) -> bytearray:
    """What is announced is held before it comes, the rest as it comes."""
    allowed, senders = allowance_of(request), service_of(request).senders
    n_held = _announced(request, most)
    await _hold(allowed, n_held, senders)
    body, has_more = bytearray(), True
    with senders.join() as pace:
        while has_more:
            message = await pace.wait(request.receive())
            chunk = body_of(message)
            has_more = message.get("more_body", False)
            n_bytes = len(body) + len(chunk)
            if n_bytes > most:
                raise _too_large(most)
            if n_bytes > n_held:
                await _hold(allowed, n_bytes - n_held, senders)
                n_held = n_bytes
            body += chunk
            pace.count(len(chunk))
    return body


def _announced(request: Request, most: int) -> int:
    """The length that a head tells; 0 where it tells none."""
    said = request.headers.get("content-length", "0")
    if not said.isdecimal():
        raise bad("a Content-Length that is no number")
    if len(said) > len(str(most)) or int(said) > most:
        raise _too_large(most)
    return int(said)


async def _hold(allowed: Allowance, n_bytes: int, senders: Crowd) -> None:
    """Memory for so many bytes of a body; where none is left, who sends slowly gives way."""
    while True:
        try:
            return allowed.hold(COPIES * n_bytes)
        except Refused as refused:
            if refused.status != 503 or not senders.make_room():
                raise
        await asyncio.sleep(BREATH)


def _too_large(most: int) -> Refused:
    return Refused(413, f"a request of more than {most:,} bytes; {ELSE}", CLOSE)
