"""Worker threads that process requests in turns: short requests do not wait for long ones.

A request is a generator of steps. It runs in a thread for one turn (`TURN`), then goes to the end
of the queue. Parsing releases the GIL, so threads do run in parallel. One more thread runs only
short requests in their first turn: a step of others may take a second (a sentence of 20,000 words).

Some steps are requests to others. `Parsing`: short requests that wait at the same time are parsed
together, which is twice as fast as one by one. `Errand`: what a thread should not do, since it
cannot be cut off, is done by a helper process.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Any, Generic, TypeVar

from dodona.server.errors import Refused, forget
from dodona.treebank.sentence import Sentence

T = TypeVar("T")
W = TypeVar("W")

TURN = 0.02  # seconds of CPU time; a step that has begun is finished
LONG_TURNS = 4  # every so many jobs, one that is not in its first turn comes first
TOGETHER, TOGETHER_BYTES = 32, 1 << 14  # short requests that are processed together


@dataclass
class Errand:
    """A step that a helper process does; its answer is None if that took too long."""

    name: str
    body: Any
    answer: bytes | None = None


@dataclass
class Parsing:
    """A step that parses sentences, together with those of other requests of the same kind."""

    kind: Hashable
    parse: Callable[[list[Sentence]], list[Sentence]]
    sentences: list[Sentence]
    done: list[Sentence] = field(default_factory=list)


class Turn(Generic[T]):
    """One turn of a request: its steps so far, and what it waits for."""

    def __init__(self, steps: Iterator[T | Errand | Parsing], seconds: float) -> None:
        self.found: list[T] = []
        self.errand: Errand | None = None
        self.parsing: Parsing | None = None
        self.is_done = False
        self.error: Exception | None = None
        self._steps = steps
        self._soonest, self._end = time.perf_counter() + seconds, time.thread_time() + seconds

    def run(self) -> None:
        """Run as many steps as one turn allows, up to one that others do."""
        self.parsing = None
        try:
            for step in self._steps:
                if isinstance(step, Parsing):
                    self.parsing = step
                    return
                if isinstance(step, Errand):
                    self.errand = step
                    return
                self.found.append(step)
                if self.is_over:
                    return
            self.is_done = True
        except Refused as refused:
            self.error = forget(refused)
        except Exception as error:
            self.error = error

    @property
    def is_over(self) -> bool:
        # thread_time is a system call, which may yield the core: only called after TURN
        return time.perf_counter() >= self._soonest and time.thread_time() >= self._end


def run_turns(all_steps: Sequence[Iterator[T | Errand | Parsing]]) -> list[Turn[T]]:
    """Run a turn of several requests, whose sentences are parsed together.

    >>> [turn.found for turn in run_turns([iter("abc"), iter("de")])]
    [['a', 'b', 'c'], ['d', 'e']]
    """
    turns: list[Turn[T]] = [Turn(steps, TURN * len(all_steps)) for steps in all_steps]
    for turn in turns:
        turn.run()
    while parsing := [turn for turn in turns if turn.parsing is not None]:
        _parse_together([turn.parsing for turn in parsing if turn.parsing is not None])
        for turn in parsing:
            turn.run()
            if turn.parsing is not None and turn.is_over:
                turn.parsing.done = turn.parsing.parse(turn.parsing.sentences)
                turn.parsing = None
    return turns


def _parse_together(steps: list[Parsing]) -> None:
    groups: dict[Hashable, list[Parsing]] = {}
    for step in steps:
        groups.setdefault(step.kind, []).append(step)
    for group in groups.values():
        done = group[0].parse([sentence for step in group for sentence in step.sentences])
        start = 0
        for step in group:
            step.done = done[start : start + len(step.sentences)]
            start += len(step.sentences)


@dataclass
class Job:
    """Steps that wait for a turn in a thread, and the future of the turn in the event loop."""

    steps: Iterator[Any]
    n_bytes: int
    loop: asyncio.AbstractEventLoop
    turn: asyncio.Future[Turn[Any]]


@dataclass
class Call:
    """A function that another thread wants to have called, and waits for."""

    function: Callable[[], Any]
    result: Future[Any]

    def run(self) -> None:
        try:
            self.result.set_result(self.function())
        except BaseException as error:
            self.result.set_exception(error)


def _deliver(jobs: Sequence[Job], turns: Sequence[Turn[Any]] | BaseException) -> None:
    """Hand the turns to the requests; called in the event loop, once for all."""
    for number, job in enumerate(jobs):
        if not job.turn.done():
            if isinstance(turns, BaseException):
                job.turn.set_exception(turns)
            else:
                job.turn.set_result(turns[number])


class Workers:
    """Worker threads, and two queues: the first turns of short requests, and everything else."""

    def __init__(self, threads: int) -> None:
        self._short: deque[Job] = deque()
        self._long: deque[Job | Call] = deque()
        self._changed = Condition()
        self._n_taken = 0
        self._is_closed = False
        self._threads = [
            Thread(target=self._work, args=(number == 0,), name=f"dodona_{number}", daemon=True)
            for number in range(threads + 1)
        ]
        for thread in self._threads:
            thread.start()

    async def turn(
        self, steps: Iterator[T | Errand | Parsing], *, n_bytes: int | None = None
    ) -> Turn[T]:
        """Run the steps of a request for one turn.

        `n_bytes` is the size of a short request in its first turn; other turns have none.
        """
        loop = asyncio.get_running_loop()
        job = Job(steps, n_bytes or 0, loop, loop.create_future())
        with self._changed:
            if self._is_closed:
                raise asyncio.CancelledError
            if n_bytes is None:
                self._add(job, self._long)
            else:
                self._add(job, self._short)
        turn: Turn[T] = await job.turn
        error, turn.error = turn.error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # whose traceback holds this function with its variables: no cycle
        return turn

    def wait_for(self, function: Callable[[], T]) -> T:
        """Run a function in a worker thread and wait for it; called from other threads."""
        call = Call(function, Future())
        with self._changed:
            if self._is_closed:
                call.result.cancel()
            else:
                self._add(call, self._long)
        found: T = call.result.result()
        return found

    def close(self, seconds: float) -> bool:
        """Stop the threads; return whether all ended within `seconds`."""
        with self._changed:
            self._is_closed = True
            for job in self._long:
                if isinstance(job, Call):
                    job.result.cancel()
            self._short.clear()
            self._long.clear()
            self._changed.notify_all()
        last = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(last - time.monotonic(), 0))
        return not any(thread.is_alive() for thread in self._threads)

    def _add(self, job: W, queue: deque[W]) -> None:
        """Queue a job; a thread that was woken for an earlier one takes it as well."""
        queue.append(job)
        if len(queue) == 1:
            # the thread for short requests could be the one that wakes up
            self._changed.notify(1 if queue is self._short else 2)

    def _work(self, only_short: bool) -> None:
        while taken := self._take(only_short):
            if isinstance(taken, Call):
                taken.run()
                continue
            jobs = [job for job in taken if not job.turn.cancelled()]
            try:
                turns: list[Turn[Any]] | BaseException = run_turns([job.steps for job in jobs])
            except BaseException as error:
                turns = error
            if jobs:
                with suppress(RuntimeError):  # the event loop is closed
                    jobs[0].loop.call_soon_threadsafe(_deliver, jobs, turns)

    def _take(self, only_short: bool) -> list[Job] | Call | None:
        """Wait for jobs: some short ones, or a long one; None when the threads should end."""
        with self._changed:
            while not self._short and (only_short or not self._long):
                if self._is_closed:
                    return None
                self._changed.wait()
            self._n_taken += 1
            is_long_due = self._n_taken % LONG_TURNS == 0 and not only_short
            if self._long and not only_short and (is_long_due or not self._short):
                found = self._long.popleft()
                if self._short or self._long:
                    self._changed.notify(2)
                return found if isinstance(found, Call) else [found]
            jobs, n_bytes = [self._short.popleft()], 0
            while self._short and len(jobs) < TOGETHER and n_bytes < TOGETHER_BYTES:
                jobs.append(self._short.popleft())
                n_bytes += jobs[-1].n_bytes
            if self._short or self._long:
                self._changed.notify(2)
            return jobs
