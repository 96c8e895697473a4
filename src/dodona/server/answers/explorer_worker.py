"""Main program of an explorer process; `server.explorer_processes` is the server's side.

The process ends when the server ends, however that happens. Only the server writes to it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, cast

from dodona.parsing.parser import Parser
from dodona.server.answers.explorer_answers import SHOWN, write_explored
from dodona.server.answers.graph_drawings import DRAW_GRAPHS, draw_graphs
from dodona.server.errors import Refused
from dodona.server.explorer_processes import (
    ANSWER,
    FAILURE,
    NEED,
    READY,
    REFUSAL,
    read_message,
    write_frame,
)
from dodona.server.limits import Limits
from dodona.server.models import Model, Models
from dodona.server.requests.explorer_request import ExploreRequest

SHARE = 4  # the part of --memory that a process may use beside its models
TOO_MUCH = Refused(503, "the explorer ran out of memory; try a shorter sentence")


class ServerPipe:
    """Messages from the server, and frames to it."""

    def __init__(self, from_: IO[bytes], to: IO[bytes]) -> None:
        self._from, self._to = from_, to
        self._messages: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def read(self) -> Any:
        return self._messages.get()

    def write(self, kind: bytes, data: bytes) -> None:
        write_frame(self._to, kind, data)

    def _listen(self) -> None:
        """Read messages in a thread, so that the end of the server is noticed during work."""
        while True:
            try:
                self._messages.put(read_message(self._from))
            except (EOFError, OSError):
                os._exit(0)


class RemoteModel:
    """A model that is requested from the server on first use."""

    other_name = None  # pages use the first name

    def __init__(self, name: str, server: ServerPipe) -> None:
        self.name, self._server = name, server

    @cached_property
    def parser(self) -> Parser:
        """The parser, which the server sends."""
        self._server.write(NEED, self.name.encode())
        return Parser.from_bytes(self._server.read())


def main() -> None:
    """Answer requests until the server ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server handles them
        signal.signal(number, signal.SIG_IGN)
    to = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # printed text must not mix with frames
    server = ServerPipe(sys.stdin.buffer, to)
    limits, names, sys.path, modules = server.read()
    for module in modules:
        import_module(module)
    models = Models(cast(Model, RemoteModel(name, server)) for name in names)
    server.write(READY, b"")
    while True:
        name, body = server.read()
        try:
            if name == DRAW_GRAPHS:
                with bounded_memory(limits.memory // SHARE):
                    sentences, width = body
                    answer = draw_graphs(sentences, width, limits)
            else:
                answer = explore(name, body, models, limits)
        except Refused as refused:
            refuse(server, refused)
        except MemoryError:
            refuse(server, TOO_MUCH)
        except Exception:
            traceback.print_exc()
            server.write(FAILURE, b"")
        else:
            server.write(ANSWER, answer)


def explore(name: str, body: bytes, models: Models, limits: Limits) -> bytes:
    """Answer a request of the explorer's page."""
    asked = ExploreRequest.read(body, models, limits)
    if asked.model is not None:
        assert asked.model.parser  # loaded before memory is limited
    with bounded_memory(limits.memory // SHARE):
        return write_explored(SHOWN[name], asked)


def refuse(server: ServerPipe, refused: Refused) -> None:
    """Send the reason why a request is refused."""
    server.write(REFUSAL, f"{refused.status} {refused}".encode())


@contextmanager
def bounded_memory(n_bytes: int) -> Iterator[None]:
    """Limit the additional memory of this process to `n_bytes`, where the system can."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(pages.read_text().split()[0]) * resource.getpagesize()
    most = now + n_bytes if before[1] == resource.RLIM_INFINITY else min(now + n_bytes, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
