"""A request that is read while it arrives: its bytes, its text, its sentences.

It is read by a thread that waits for the client; the event loop receives.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Iterable, Iterator
from typing import IO, cast

from anyio import fail_after, from_thread
from starlette.types import Receive

from dodona.server.errors import Refused, bad
from dodona.server.limits import Limits

INPUTS = ("text", "conllu")
SLOWEST = 1000  # bytes a second that a client must send on average


class Arriving:
    """The body of a request, from a client that must not hang."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive, self._limits = receive, limits
        self._begin, self._n_bytes, self._has_more = time.monotonic(), 0, True

    def chunks(self) -> Iterator[bytes]:
        """What arrives, to be taken in a thread."""
        while self._has_more:
            yield from_thread.run(self._read)

    async def _read(self) -> bytes:
        patience = self._limits.patience
        try:
            with fail_after(patience):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, f"nothing arrived for {patience:g} seconds") from None
        if message["type"] == "http.disconnect":
            raise Refused(400, "the connection was closed before the request had arrived")
        self._has_more = message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        self._n_bytes += len(chunk)
        allowed = self._limits.seconds + self._n_bytes / SLOWEST
        if time.monotonic() - self._begin > allowed:
            raise Refused(408, f"less than {SLOWEST:,} bytes a second arrived")
        return chunk


def decode(chunks: Iterable[bytes]) -> Iterator[str]:
    """The text that arrives in chunks, which may end inside a character.

    >>> "".join(decode([b"caf\\xc3", b"\\xa9"]))
    'café'
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    n_bytes = 0
    try:
        for chunk in chunks:
            yield decoder.decode(chunk)
            n_bytes += len(chunk)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise bad(f"not in UTF-8: {error.reason} near byte {n_bytes + error.start}") from error


def as_file(chunks: Iterator[bytes]) -> IO[bytes]:
    """The chunks as a file that is read in one go, from the first to the last.

    >>> file = as_file(iter([b"Ask", b"", b" oaks"]))
    >>> file.read(100), file.read(100), file.read(100)
    (b'Ask', b' oaks', b'')
    """
    return cast("IO[bytes]", _File(chunks))


class _File:
    """As much of a file as the reader of CoNLL-U wants to see."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def read(self, _: int) -> bytes:
        """What arrives next; nothing at the end."""
        return next(filter(None, self._chunks), b"")
