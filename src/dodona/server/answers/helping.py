"""A process that explores for the server; `server.helpers` is its other side.

It ends when the server does, however that ends. Nobody but the server writes to it.
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
from dodona.server.answers.explore import SHOWN, write_explored
from dodona.server.errors import Refused
from dodona.server.helpers import ANSWER, MISTAKE, NEED, READY, REFUSAL, read_message, write_frame
from dodona.server.models import Model, Models
from dodona.server.requests.explore import ExploreRequest

TOO_MUCH = Refused(503, "this takes more memory than the explorer has; take a shorter sentence")


class Server:
    """What is read from the server and written to it."""

    def __init__(self, from_: IO[bytes], to: IO[bytes]) -> None:
        self._from, self._to = from_, to
        self._messages: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def read(self) -> Any:
        """The next message."""
        return self._messages.get()

    def write(self, kind: bytes, data: bytes) -> None:
        """A frame."""
        write_frame(self._to, kind, data)

    def _listen(self) -> None:
        """In a thread, so that the end of the server is heard also during work."""
        while True:
            try:
                self._messages.put(read_message(self._from))
            except (EOFError, OSError):
                os._exit(0)


class Fetched:
    """A model that is asked for when it is needed."""

    other_name = None  # pages ask by the first one

    def __init__(self, name: str, server: Server) -> None:
        self.name, self._server = name, server

    @cached_property
    def parser(self) -> Parser:
        """Its parser."""
        self._server.write(NEED, self.name.encode())
        return Parser.from_bytes(self._server.read())


def main() -> None:
    """Answer requests until the server ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # those are for the server
        signal.signal(number, signal.SIG_IGN)
    to = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what somebody prints is no frame
    server = Server(sys.stdin.buffer, to)
    limits, names, sys.path, modules = server.read()
    for module in modules:
        import_module(module)
    models = Models(cast(Model, Fetched(name, server)) for name in names)
    server.write(READY, b"")
    while True:
        name, body = server.read()
        try:
            asked = ExploreRequest.read(body, models, limits)
            if asked.model is not None:
                assert asked.model.parser  # before memory is counted
            with bounded_memory(limits.memory):
                answer = write_explored(SHOWN[name], asked)
        except Refused as refused:
            refuse(server, refused)
        except MemoryError:
            refuse(server, TOO_MUCH)
        except Exception:
            traceback.print_exc()
            server.write(MISTAKE, b"")
        else:
            server.write(ANSWER, answer)


def refuse(server: Server, refused: Refused) -> None:
    """Hand on why a request is not answered."""
    server.write(REFUSAL, f"{refused.status} {refused}".encode())


@contextmanager
def bounded_memory(n_bytes: int) -> Iterator[None]:
    """Where the system can do so, let not more than so many bytes more be taken."""
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
