"""Request bodies that are read while they arrive.

A thread waits for the client and reads; the event loop receives.
"""

from __future__ import annotations

from collections.abc import Iterator

from anyio import from_thread
from starlette.types import Receive

from dodona.server.client_speed import ClientSpeed
from dodona.server.requests.bodies import body_of

INPUTS = ("text", "conllu")


class BodyStream:
    """A request body, read at no less than the minimum rate."""

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
