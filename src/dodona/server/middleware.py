"""Middleware for every request: timeout, memory budget, security headers, counters, log."""

from __future__ import annotations

import asyncio
import re
import secrets
import sys
import time
from itertools import count

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dodona.server.errors import CLOSE, Refused, note_refusal, refuse
from dodona.server.limits import Limits
from dodona.server.log import Log, describe_request, no_log
from dodona.server.memory_budget import MemoryBudget, RequestBudget
from dodona.server.metrics import NO_MODEL, Metrics

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
POLICY, FRAMES = b"content-security-policy", b"x-frame-options"
REQUEST_ID = b"x-request-id"

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


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

        limit = _Timer(self._limits.timeout)
        try:
            await self._app(scope, receive, watch)
        except asyncio.CancelledError:
            if not limit.is_own_cancellation():
                raise
        else:
            return
        finally:
            limit.stop()
        why = f"the request took more than {self._limits.timeout:g} seconds; send less at a time"
        refused = Refused(503, why, {"Retry-After": "10", **CLOSE}, reason="timeout")
        note_refusal(scope, refused)
        # an answer that has begun is cut off with the connection, so it cannot pass as complete
        if not begun:
            await refuse(scope["path"], refused)(scope, receive, send)


class _Timer:
    """Cancels the current task after some seconds; cheaper than a cancel scope of anyio."""

    def __init__(self, seconds: float) -> None:
        self._task = asyncio.current_task()
        self._is_over = False
        self._handle = asyncio.get_running_loop().call_later(seconds, self._end)

    def stop(self) -> None:
        self._handle.cancel()

    def is_own_cancellation(self) -> bool:
        """Return whether this timer, and nobody else, has cancelled the task."""
        if sys.version_info >= (3, 11) and self._is_over and self._task is not None:
            return self._task.uncancel() == 0
        return self._is_over

    def _end(self) -> None:
        self._is_over = True
        if self._task is not None:
            self._task.cancel()


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
    """Numbers, counts, times and logs requests, and adds the headers of all answers."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: frozenset[str], log: Log) -> None:
        self._app, self._metrics, self._paths, self._log = app, metrics, paths, log
        self._process, self._numbers = secrets.token_hex(4), count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin, status = time.perf_counter(), 500
        state = scope.setdefault("state", {})
        state["id"] = name = self._identify(scope)

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.setdefault("headers", [])
                known = {name for name, _ in headers}
                if POLICY in known:  # which also says who may frame the page
                    known.add(FRAMES)
                headers += [pair for pair in RAW_HEADERS if pair[0] not in known]
                headers.append((REQUEST_ID, name.encode()))
            await send(message)

        self._metrics.n_in_flight += 1
        try:
            await self._app(scope, receive, watch)
        finally:
            seconds = time.perf_counter() - begin
            self._metrics.n_in_flight -= 1
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.count(path, status, seconds, state.get("model", NO_MODEL))
            if "refused" in state:
                self._metrics.refused[state["refused"]] += 1
            if self._log is not no_log:
                self._log(describe_request(scope, status, seconds))

    def _identify(self, scope: Scope) -> str:
        """Return the client's id of a request, or a new one."""
        for name, value in scope["headers"]:
            if name == REQUEST_ID and _ID.fullmatch(value):
                found: bytes = value
                return found.decode()
        return f"{self._process}-{next(self._numbers):x}"
