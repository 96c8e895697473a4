"""Middleware for every request: timeout, memory budget, security headers, counters, log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from anyio import move_on_after
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dodona.server.errors import CLOSE, Refused, refuse
from dodona.server.limits import Limits
from dodona.server.memory_budget import MemoryBudget, RequestBudget
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


class RequestTimeout:
    """Ends a request that takes too long; streams are exempt."""

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

        with move_on_after(self._limits.timeout) as limit:
            await self._app(scope, receive, watch)
        # an answer that has begun is cut off with the connection, so it cannot pass as complete
        if limit.cancelled_caught and not begun:
            why = f"the request took more than {self._limits.timeout:g} seconds"
            refused = Refused(503, f"{why}; send less at a time", {"Retry-After": "10", **CLOSE})
            await refuse(scope["path"], refused)(scope, receive, send)


class HoldMemory:
    """Gives each request a memory budget, and releases it at the end."""

    def __init__(self, app: ASGIApp, memory: MemoryBudget, limits: Limits) -> None:
        self._app, self._memory, self._limits = app, memory, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        budget = RequestBudget(self._memory, self._limits)
        scope.setdefault("state", {})["budget"] = budget
        try:
            await self._app(scope, receive, send)
        finally:
            budget.close()


class RequestLog:
    """Counts, times and logs requests, and adds the security headers."""

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
                if POLICY in known:  # which also says who may frame the page
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
            if self._log is not no_log:
                self._log(write_line(scope, status, seconds))


def write_line(scope: Scope, status: int, seconds: float) -> str:
    """Return the log line of a request, without its content.

    >>> scope = {"client": ("127.0.0.1", 5), "method": "GET", "path": "/process", "state": {}}
    >>> write_line(scope, 200, 0.0123).partition(" ")[2]
    '127.0.0.1 GET /process 200 12.3 ms'
    """
    client: Any = scope.get("client") or ("-",)
    n_words = scope.get("state", {}).get("n_words")
    words = "" if n_words is None else f" {n_words} words"
    now = time.strftime("%Y-%m-%dT%H:%M:%S")
    path = scope["path"].encode("ascii", "backslashreplace").decode()
    path = "".join(c if c.isprintable() else "?" for c in path)  # no line breaks in the log
    return f"{now} {client[0]} {scope['method']} {path} {status}{words} {1000 * seconds:.1f} ms"


def to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def no_log(text: str) -> None:
    """Discard a log line."""
