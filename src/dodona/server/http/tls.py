"""TLS connections, which count to the limits from their first byte.

asyncio's own TLS servers make a connection known only after its handshake, so thousands of
clients that send nothing would not be noticed.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Any

from dodona.server.http.connection import HttpConnection, Site
from dodona.server.http.guard import Phase


class TlsHandshake(asyncio.Protocol):
    """A connection during its TLS handshake; an `HttpConnection` takes its place afterwards."""

    phase = Phase.HEAD

    def __init__(self, site: Site, context: ssl.SSLContext) -> None:
        self._site, self._context = site, context
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer: Any = transport.get_extra_info("peername")
        self.address = peer[0] if isinstance(peer, tuple) else ""
        if self._site.guard.enter(self):
            self._task = asyncio.get_running_loop().create_task(self._shake_hands())
        else:
            transport.abort()

    def hang_up(self) -> None:
        self._site.guard.leave(self)
        if self._task is not None:
            self._task.cancel()
        self._transport.abort()

    def check(self, now: float) -> None:
        """Do nothing: the handshake has its own timeout."""

    async def _shake_hands(self) -> None:
        connection = HttpConnection(self._site)
        try:
            with suppress(OSError):  # a client that speaks no TLS, or too slowly
                transport = await asyncio.get_running_loop().start_tls(
                    self._transport,
                    connection,
                    self._context,
                    server_side=True,
                    ssl_handshake_timeout=self._site.guard.limits.head_timeout,
                )
                self._site.guard.leave(self)
                if transport is not None and not transport.is_closing():
                    connection.connection_made(transport)
        finally:
            self._site.guard.leave(self)
