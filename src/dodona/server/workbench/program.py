"""The process of `dodona annotate`: serve one workbench until a signal arrives, then close it."""

from __future__ import annotations

import asyncio
import socket

from starlette.applications import Starlette

from dodona.server.http.guard import ConnectionGuard
from dodona.server.http.serving import ENDING, bounded_by_files, handle_signals, serve
from dodona.server.limits import Limits


def run(site: Starlette, listening: socket.socket) -> None:
    """Serve a site until a signal arrives; open requests are finished."""
    asyncio.run(_serve(site, listening))


async def _serve(site: Starlette, listening: socket.socket) -> None:
    end = asyncio.Event()
    handle_signals(dict.fromkeys(ENDING, end.set))
    guard = ConnectionGuard(bounded_by_files(Limits()))
    await serve(site, listening, guard, end=end)
