"""Around every request: time, memory, headers that keep browsers careful, counters, the log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from anyio import move_on_after
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dodona.server.errors import Refused, refuse
from dodona.server.limits import Limits
from dodona.server.memory import Allowance, Memory
from dodona.server.metrics import Metrics

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
POLICY, FRAMES = b"content-security-policy", b"x-frame-options"

Log = Callable[[str], None]


class Deadline:
    """Ends a request that takes too long; streams have rules of their own."""

    def __init__(self, app: ASGIApp, limits: Limits, streams: frozenset[str]) -> None:
        self._app, self._limits, self._streams = app, limits, streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._streams:
            await self._app(scope, receive, send)
            return
        begun = False

        async def watch(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        with move_on_after(self._limits.seconds) as limit:
            await self._app(scope, receive, watch)
        # an answer that has begun breaks off with the connection: half of it must not look whole
        if limit.cancelled_caught and not begun:
            await refuse(scope["path"], self._too_long())(scope, receive, send)

    def _too_long(self) -> Refused:
        why = f"the request took more than {self._limits.seconds:g} seconds; send less at a time"
        return Refused(503, why, {"Retry-After": "10", "Connection": "close"})


class Hold:
    """Gives each request an allowance, and takes back what it held of it."""

    def __init__(self, app: ASGIApp, memory: Memory, limits: Limits) -> None:
        self._app, self._memory, self._limits = app, memory, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        allowance = Allowance(self._memory, self._limits)
        scope.setdefault("state", {})["allowance"] = allowance
        try:
            await self._app(scope, receive, send)
        finally:
            allowance.close()


class Watch:
    """Counts requests, times them, logs them, and sets the headers that they all have."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: frozenset[str], log: Log) -> None:
        self._app, self._metrics, self._paths, self._log = app, metrics, paths, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin, status = time.perf_counter(), 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.setdefault("headers", [])
                known = {name for name, _ in headers}
                if POLICY in known:  # which says, too, who may frame the answer
                    known.add(FRAMES)
                headers += [pair for pair in RAW_HEADERS if pair[0] not in known]
            await send(message)

        self._metrics.n_in_flight += 1
        try:
            await self._app(scope, receive, watch)
        finally:
            seconds = time.perf_counter() - begin
            self._metrics.n_in_flight -= 1
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.count(path, status, seconds)
            if self._log is not to_nobody:
                self._log(write_line(scope, status, seconds))


def write_line(scope: Scope, status: int, seconds: float) -> str:
    """A request in the log; what it sent is nobody's business.

    >>> scope = {"client": ("127.0.0.1", 5), "method": "GET", "path": "/process", "state": {}}
    >>> write_line(scope, 200, 0.0123).partition(" ")[2]
    '127.0.0.1 GET /process 200 12.3 ms'
    """
    client: Any = scope.get("client") or ("-",)
    n_words = scope.get("state", {}).get("n_words")
    words = "" if n_words is None else f" {n_words} words"
    now = time.strftime("%Y-%m-%dT%H:%M:%S")
    path = scope["path"].encode("ascii", "backslashreplace").decode()
    path = "".join(c if c.isprintable() else "?" for c in path)  # no line of its own making
    return f"{now} {client[0]} {scope['method']} {path} {status}{words} {1000 * seconds:.1f} ms"


def to_stderr(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr, flush=True)


def to_nobody(text: str) -> None:
    """No log."""
