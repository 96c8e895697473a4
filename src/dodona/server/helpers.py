"""Processes that explore: what they do may take long and cannot be cut, but they can be ended.

A thread could not be ended, and would keep the interpreter from everybody else. A helper is started
when it is needed, and lives on for the next request; one that takes too long, or works for a client
that has left, is killed. It reads messages from its standard input, each an object, and writes
frames: a letter and bytes. Models are handed over when it asks for them.
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

COMMAND = "from dodona.server.answers.helping import main; main()"
READY, NEED, ANSWER, REFUSAL, MISTAKE = b"B", b"N", b"A", b"R", b"M"  # frames
LENGTH = 8  # bytes, before each message and frame


class Helpers:
    """So many helpers, and a line before them."""

    def __init__(self, parsers: Mapping[str, Parser], limits: Limits) -> None:
        self._parsers, self._limits = parsers, limits
        self._pool = ThreadPoolExecutor(limits.explorers, thread_name_prefix="dodona-helper")
        self._line = asyncio.Semaphore(limits.explorers)
        self._idle: list[Helper] = []
        self._all: set[Helper] = set()

    async def ask(self, name: str, body: bytes | bytearray) -> bytes:
        """What a helper answers to a request; TimeoutError if it takes too long."""
        async with self._line:
            helper = self._idle.pop() if self._idle else self._start()
            loop = asyncio.get_running_loop()
            try:
                await loop.run_in_executor(self._pool, helper.get_ready)  # not of its time
                with fail_after(self._limits.explore_seconds):
                    answer = await loop.run_in_executor(self._pool, helper.ask, name, bytes(body))
            except Refused:
                self._idle.append(helper)
                raise
            except BaseException:
                self._end(helper)
                raise
            self._idle.append(helper)
            return answer

    def close(self) -> None:
        """End them all."""
        for helper in tuple(self._all):
            self._end(helper)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> Helper:
        helper = Helper(self._parsers, self._limits)
        self._all.add(helper)
        return helper

    def _end(self, helper: Helper) -> None:
        self._all.discard(helper)
        helper.kill()


class Helper:
    """A process, and what is written to it and read from it."""

    def __init__(self, parsers: Mapping[str, Parser], limits: Limits) -> None:
        self._parsers = parsers
        self._process = subprocess.Popen(
            [sys.executable, "-c", COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout
        self._about: tuple[Any, ...] | None = (limits, tuple(parsers), sys.path, _modules())

    def get_ready(self) -> None:
        """Tell a new one what it must know, and wait until it has begun."""
        if self._about is not None:
            write_message(self._to, self._about)
            read_frame(self._from)
            self._about = None

    def ask(self, name: str, body: bytes) -> bytes:
        """The answer to a request, waited for in a thread."""
        write_message(self._to, (name, body))
        while True:
            kind, found = read_frame(self._from)
            if kind == ANSWER:
                return found
            if kind == REFUSAL:
                status, _, why = found.decode().partition(" ")
                raise Refused(int(status), why)
            if kind == MISTAKE:
                raise RuntimeError("an explorer made a mistake; it was told above")
            parser = self._parsers[found.decode()]
            write_message(self._to, replace(parser, segmenter=None).to_bytes())

    def kill(self) -> None:
        """End it, whatever it does; a thread that waits for it is told by the end of the file."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._to, self._from):
            with suppress(OSError):  # what was written is for nobody
                pipe.close()


def _modules() -> list[str]:
    """Where systems come from that are none of ours: who explores has to know them."""
    found = {find_system(name).__module__ for name in systems()}
    return sorted(module for module in found if not module.startswith(("dodona.", "__main__")))


def write_message(file: IO[bytes], message: Any) -> None:
    """An object, for a process of ours."""
    data = pickle.dumps(message)
    file.write(len(data).to_bytes(LENGTH, "little") + data)
    file.flush()


def read_message(file: IO[bytes]) -> Any:
    """What `write_message` wrote; EOFError at the end."""
    return pickle.loads(_read(file))


def write_frame(file: IO[bytes], kind: bytes, data: bytes) -> None:
    """A letter and bytes."""
    file.write(len(data + kind).to_bytes(LENGTH, "little") + kind + data)
    file.flush()


def read_frame(file: IO[bytes]) -> tuple[bytes, bytes]:
    """What `write_frame` wrote; EOFError at the end.

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
