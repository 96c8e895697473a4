"""The log of a server: a line per request, as text or JSON, on stderr.

Lines are written by a thread, since a write blocks when nobody reads the other end of a pipe. Only
so many wait there; more are dropped and counted.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from starlette.types import Scope

MAX_LINES = 10_000  # that wait to be written
GATHER_SECONDS = 0.02  # in which lines are gathered for one write

Log = Callable[[Mapping[str, Any]], None]


class LogWriter:
    """A thread that writes lines to a file descriptor; `write` never blocks."""

    def __init__(self, descriptor: int = 2) -> None:
        self.n_dropped = 0
        self._descriptor = descriptor
        self._lines: deque[str] = deque()
        self._there_are_some, self._is_idle = threading.Event(), threading.Event()
        self._is_idle.set()
        threading.Thread(target=self._run, daemon=True, name="dodona-log").start()

    def write(self, line: str) -> None:
        """Queue a line, or drop it if too many are waiting."""
        if len(self._lines) >= MAX_LINES:
            self.n_dropped += 1
            return
        self._is_idle.clear()
        self._lines.append(line)
        self._there_are_some.set()

    def close(self, seconds: float) -> None:
        """Wait until all lines are written, but no longer than that."""
        self._is_idle.wait(seconds)

    def _run(self) -> None:
        while True:
            self._there_are_some.wait()
            time.sleep(GATHER_SECONDS)
            self._there_are_some.clear()
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            data = "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:  # nobody will read it
                self.n_dropped += len(lines)
            if not self._lines:
                self._is_idle.set()


class LogHandler(logging.Handler):
    """Passes what Python's `logging` receives, such as tracebacks, to a log writer."""

    def __init__(self, writer: LogWriter) -> None:
        super().__init__(logging.WARNING)
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record with its traceback."""
        self._writer.write(self.format(record))


def describe_request(scope: Scope, status: int, seconds: float) -> dict[str, Any]:
    """Return what the log says about a request: nothing of its content."""
    client: Any = scope.get("client") or ("-",)
    state = scope.get("state", {})
    path = scope["path"].encode("ascii", "backslashreplace").decode()
    path = "".join(c if c.isprintable() else "?" for c in path)  # no line breaks in the log
    found = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "id": state.get("id"),
        "client": client[0],
        "method": scope["method"],
        "path": path,
        "status": status,
        "model": state.get("model"),
        "words": state.get("n_words"),
        "refused": state.get("refused"),
        "ms": round(1000 * seconds, 1),
    }
    return {name: value for name, value in found.items() if value is not None}


def write_text(found: Mapping[str, Any]) -> str:
    """Return a request's line for people.

    >>> scope = {"client": ("127.0.0.1", 5), "method": "GET", "path": "/process", "state": {}}
    >>> write_text(describe_request(scope, 200, 0.0123)).partition(" ")[2]
    '127.0.0.1 GET /process 200 12.3 ms'
    """
    words = f" {found['words']} words" if "words" in found else ""
    request = f"{found['client']} {found['method']} {found['path']} {found['status']}"
    return f"{found['time']} {request}{words} {found['ms']} ms"


def write_json(found: Mapping[str, Any]) -> str:
    """Return a request's line for programs.

    >>> write_json({"id": "5f3a-1", "path": "/process", "status": 200, "ms": 12.3})
    '{"id": "5f3a-1", "path": "/process", "status": 200, "ms": 12.3}'
    """
    return json.dumps(found)


def make_log(kind: str, writer: LogWriter) -> Log:
    """Return the log of requests in a format."""
    write = write_json if kind == "json" else write_text
    return lambda found: writer.write(write(found))


def log_everything(writer: LogWriter) -> None:
    """Pass all warnings and errors, also those of asyncio, to a log writer."""
    logging.getLogger().handlers = [LogHandler(writer)]
    sys.excepthook = lambda kind, error, trace: logging.getLogger("dodona.server").critical(
        "the server failed", exc_info=(kind, error, trace)
    )


def no_log(found: Mapping[str, Any]) -> None:
    """Discard what is known of a request."""
