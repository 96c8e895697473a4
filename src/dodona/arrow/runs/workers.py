"""A pool of processes over a queue of parts: each reads, parses, compresses and commits its own.

Only the parent writes the manifest. A worker that is killed is replaced, and its part is begun
again once; when the parent is killed, its workers end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import pyarrow as pa

from dodona.arrow.batch_parser import ParsedChunk
from dodona.arrow.options import ParseOptions
from dodona.arrow.runs.inputs import InputError
from dodona.arrow.runs.manifest import FailedPart, PartRecord
from dodona.arrow.runs.part_writer import Part, PartWriter, describe, hold_model

ATTEMPTS = 2  # at a part whose worker is killed
GRACE = 10.0  # seconds for a worker to end by itself


class BatchCounts(NamedTuple):
    """What a batch adds to the progress."""

    n_documents: int
    n_words: int
    n_errors: int
    n_chars: int


Report = Callable[[Part, BatchCounts], None]
Outcome = tuple[Part, PartRecord | FailedPart]


def counts_of(parsed: ParsedChunk) -> BatchCounts:
    """Return the counts of a parsed chunk."""
    return BatchCounts(parsed.n_documents, parsed.n_words, parsed.n_errors, parsed.n_chars)


def parse_part(writer: PartWriter, part: Part, report: Report) -> PartRecord | FailedPart:
    """Write a part; an input that cannot be read is a failure of the part."""
    try:
        return writer.write(part, lambda parsed: report(part, counts_of(parsed)))
    except InputError as error:
        return FailedPart(describe(part.input)[0], str(error))


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker needs: it loads the model itself, which must be the one of the parent."""

    options: ParseOptions
    format: str
    kept: pa.Schema
    sha256: str


class _Worker:
    """A process, and the part that it is at work on."""

    def __init__(self, setup: WorkerSetup) -> None:
        context = get_context("spawn")  # a fork would copy the locks of Arrow's threads
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, setup), daemon=True)
        self.process.start()
        theirs.close()
        self.part: Part | None = None
        self.n_attempts = 0

    def give(self, part: Part, n_attempts: int) -> None:
        self.part, self.n_attempts = part, n_attempts
        with suppress(OSError):  # it has ended, as the next look at its connection tells
            self.connection.send(part)

    def end(self) -> None:
        self.process.terminate()
        self.process.join(GRACE)
        self.process.kill()
        self.process.join()
        self.connection.close()


class Pool:
    """Processes that parse the parts of a run."""

    def __init__(self, setup: WorkerSetup, n_workers: int, report: Report) -> None:
        self.setup, self.n_workers, self.report = setup, n_workers, report
        self.workers: list[_Worker] = []
        self.waiting: deque[tuple[Part, int]] = deque()

    def parse(self, parts: Iterable[Part]) -> Iterator[Outcome]:
        """Yield the outcome of each part as it is finished; the workers end with the iterator."""
        self.waiting.extend((part, 1) for part in parts)
        try:
            while busy := self._employ():
                ready = connection.wait([worker.connection for worker in busy])
                for worker in busy:
                    if worker.connection in ready:
                        yield from self._receive(worker)
        finally:
            for worker in self.workers:
                worker.end()

    def _employ(self) -> list[_Worker]:
        """Give parts to idle workers, of which there may be new ones; return those at work."""
        while self.waiting:
            idle = next((worker for worker in self.workers if worker.part is None), None)
            if idle is None and len(self.workers) == self.n_workers:
                break
            if idle is None:
                self.workers.append(idle := _Worker(self.setup))
            idle.give(*self.waiting.popleft())
        return [worker for worker in self.workers if worker.part is not None]

    def _receive(self, worker: _Worker) -> Iterator[Outcome]:
        """Receive a message of a worker, or learn that there is no worker any more."""
        assert worker.part is not None
        try:
            message: Any = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._replace(worker)
            return
        if isinstance(message, BatchCounts):
            self.report(worker.part, message)
        elif isinstance(message, Exception):
            raise message
        else:
            part, worker.part = worker.part, None
            yield part, message

    def _replace(self, worker: _Worker) -> Iterator[Outcome]:
        """Forget a worker that was killed; its part is begun again, or fails."""
        assert worker.part is not None
        worker.end()
        self.workers.remove(worker)
        if worker.n_attempts < ATTEMPTS:
            self.waiting.appendleft((worker.part, worker.n_attempts + 1))
            return
        names, _ = describe(worker.part.input)
        why = (
            f"{worker.part.input.inputs[0].location.name}: the process that parsed it ended "
            f"{ATTEMPTS} times (exit code {worker.process.exitcode}); is there enough memory?"
        )
        yield worker.part, FailedPart(names, why)


def _work(parent: Connection, setup: WorkerSetup) -> None:
    """Parse the parts that the parent sends, until it closes the connection or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # half-written files are removed
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        with closing(hold_model(setup.options)) as model:
            if model.sha256 != setup.sha256:
                raise ValueError(
                    f"{setup.options.model}: the model has changed since the run began"
                )
            writer = PartWriter(model, setup.options, setup.format, setup.kept)
            while True:
                part = parent.recv()
                outcome = parse_part(writer, part, lambda _, counts: parent.send(counts))
                parent.send(outcome)
    except EOFError:
        return
    except OSError as error:
        parent.send(error)
    except Exception as error:  # not every exception can be sent
        parent.send(ValueError(str(error) or type(error).__name__))


def _end_with_parent() -> None:
    """Wait until the parent has ended, and end at once: another run may begin with our part."""
    if (parent := parent_process()) is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
