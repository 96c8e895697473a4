"""A pool of explorer processes, which can be killed when they take too long.

A thread cannot be killed, and would hold the GIL. A process is started when it is needed and kept
for the next request; it is killed on a timeout or when its client has left. It reads messages (one
pickled object each) from its standard input, writes frames (a letter and bytes) to its standard
output, and asks for the models that it needs.
"""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any

from anyio import fail_after

from dodona.core.transitions.registry import find_system, systems
from dodona.parsing.parser import Parser
from dodona.server.errors import Refused
from dodona.server.limits import Limits

COMMAND = "from dodona.server.answers.explorer_worker import main; main()"
READY, NEED, ANSWER, REFUSAL, FAILURE = b"B", b"N", b"A", b"R", b"M"  # frames
DIED = Refused(503, "the explorer process ended; try again", reason="explorer")
LENGTH = 8  # bytes of the length before each message and frame


class ExplorerPool:
    """A bounded number of explorer processes; further requests wait."""

    def __init__(self, parsers: Mapping[str, Parser], limits: Limits) -> None:
        self._parsers, self._limits = parsers, limits
        self._pool = ThreadPoolExecutor(limits.explorers, thread_name_prefix="dodona-explorer")
        self._free = asyncio.Semaphore(limits.explorers)
        self._idle: list[ExplorerProcess] = []
        self._all: set[ExplorerProcess] = set()
        self._is_retired = False

    async def ask(self, name: str, body: object) -> bytes:
        """Return the answer of a process to a request; raise TimeoutError if it takes too long."""
        async with self._free:
            while True:
                process, is_new = self._find()
                try:
                    return await self._ask(process, name, body)
                except TimeoutError:
                    raise
                except (EOFError, OSError):
                    # a process that was killed while it was idle, or had no memory left
                    if is_new:
                        raise DIED from None

    def _find(self) -> tuple[ExplorerProcess, bool]:
        """Return an idle process or a new one, and whether it is new."""
        if self._idle:
            return self._idle.pop(), False
        process = ExplorerProcess(self._parsers, self._limits)
        self._all.add(process)
        return process, True

    async def _ask(self, process: ExplorerProcess, name: str, body: object) -> bytes:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._pool, process.get_ready)  # start-up does not count
            with fail_after(self._limits.explore_timeout):
                answer = await loop.run_in_executor(self._pool, process.ask, name, body)
        except Refused:
            self._keep(process)
            raise
        except BaseException:
            self._kill(process)
            raise
        self._keep(process)
        return answer

    def retire(self) -> None:
        """End the processes as soon as they have answered."""
        self._is_retired = True
        while self._idle:
            self._kill(self._idle.pop())

    def close(self) -> None:
        for process in tuple(self._all):
            self._kill(process)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _keep(self, process: ExplorerProcess) -> None:
        if self._is_retired:
            self._kill(process)
        else:
            self._idle.append(process)

    def _kill(self, process: ExplorerProcess) -> None:
        self._all.discard(process)
        process.kill()


class ExplorerProcess:
    """One explorer process and its pipes."""

    def __init__(self, parsers: Mapping[str, Parser], limits: Limits) -> None:
        self._parsers = parsers
        self._process = subprocess.Popen(
            [sys.executable, "-c", COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout
        # the process must import the modules of systems from outside Dodona
        found = {find_system(name).__module__ for name in systems()}
        modules = sorted(name for name in found if not name.startswith(("dodona.", "__main__")))
        self._setup: tuple[Any, ...] | None = (limits, tuple(parsers), sys.path, modules)

    def get_ready(self) -> None:
        """Send a new process its settings, and wait until it is ready."""
        if self._setup is not None:
            write_message(self._to, self._setup)
            read_frame(self._from)
            self._setup = None

    def ask(self, name: str, body: object) -> bytes:
        """Return the answer to a request; blocks the calling thread."""
        write_message(self._to, (name, body))
        while True:
            kind, found = read_frame(self._from)
            if kind == ANSWER:
                return found
            if kind == REFUSAL:
                status, _, why = found.decode().partition(" ")
                raise Refused(int(status), why)
            if kind == FAILURE:
                raise RuntimeError("the explorer process failed; its traceback is above")
            parser = self._parsers[found.decode()]
            write_message(self._to, replace(parser, segmenter=None).to_bytes())

    def kill(self) -> None:
        """Kill the process; a thread that reads from it gets an EOFError."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._to, self._from):
            with suppress(OSError):  # unsent data is of no use
                pipe.close()


def write_message(file: IO[bytes], message: Any) -> None:
    """Write an object for another process of this server."""
    data = pickle.dumps(message)
    file.write(len(data).to_bytes(LENGTH, "little") + data)
    file.flush()


def read_message(file: IO[bytes]) -> Any:
    """Read an object that `write_message` wrote; raise EOFError at the end."""
    return pickle.loads(_read(file))


def write_frame(file: IO[bytes], kind: bytes, data: bytes) -> None:
    """Write a frame: a letter and bytes."""
    file.write(len(data + kind).to_bytes(LENGTH, "little") + kind + data)
    file.flush()


def read_frame(file: IO[bytes]) -> tuple[bytes, bytes]:
    """Read a frame that `write_frame` wrote; raise EOFError at the end.

    >>> import io
    >>> file = io.BytesIO()
    >>> write_frame(file, NEED, b"en")
    >>> _ = file.seek(0)
    >>> read_frame(file)
    (b'N', b'en')
    """
    data = _read(file)
    return data[:1], data[1:]


def _read(file: IO[bytes]) -> bytes:
    length = int.from_bytes(file.read(LENGTH), "little")
    data = file.read(length)
    if not length or len(data) < length:
        raise EOFError("the other process has ended")
    return data
