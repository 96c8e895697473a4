"""A request that is read while it arrives.

It is read by a thread that waits for the client; the event loop receives.
"""

from __future__ import annotations

from collections.abc import Iterator

from anyio import from_thread
from starlette.types import Receive

from dodona.server.pace import Pace
from dodona.server.requests.bodies import body_of

INPUTS = ("text", "conllu")


class Arriving:
    """The body of a request, from a client that must not hang."""

    def __init__(self, receive: Receive, pace: Pace) -> None:
        self._receive, self._pace = receive, pace
        self._has_more = True

    def chunks(self) -> Iterator[bytes]:
        """What arrives, to be taken in a thread."""
        while self._has_more:
            yield from_thread.run(self._read)

    async def _read(self) -> bytes:
        message = await self._pace.wait(self._receive())
        chunk = body_of(message)
        self._has_more = message.get("more_body", False)
        self._pace.count(len(chunk))
        return chunk
