"""Worker threads that process requests in turns: short requests do not wait for long ones.

A request is a generator of steps. It runs in a thread for one turn (`TURN`), then goes to the end
of the queue. Parsing releases the GIL, so threads do run in parallel. One more thread runs only
short requests in their first turn: a step of others may take a second (a sentence of 20,000 words).
What a thread should not do, since it cannot be cut off, a step can leave to a helper process.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Any, TypeVar

T = TypeVar("T")

TURN = 0.02  # seconds of CPU time; a step that has begun is finished
LONG_TURNS = 4  # every so many jobs, one that is not in its first turn comes first


@dataclass
class Errand:
    """A step that a helper process does; its answer is None if that took too long."""

    name: str
    body: Any
    answer: bytes | None = None


class Workers:
    """Worker threads, and two queues: the first turns of short requests, and everything else."""

    def __init__(self, threads: int) -> None:
        self._short: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._long: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._changed = Condition()
        self._n_taken = 0
        self._is_closed = False
        self._threads = [
            Thread(target=self._work, args=(number == 0,), name=f"dodona_{number}", daemon=True)
            for number in range(threads + 1)
        ]
        for thread in self._threads:
            thread.start()

    async def turns(
        self,
        steps: Iterator[T | Errand],
        do: Callable[[Errand], Awaitable[None]] | None = None,
        *,
        is_short: bool = True,
    ) -> AsyncIterator[list[T]]:
        """Yield what the steps yield, one list per turn; `do` does their errands."""
        is_done = False
        while not is_done:
            job = asyncio.wrap_future(self._submit(lambda: turn(steps), is_short=is_short))
            found, errand, is_done = await job
            is_short = False
            if found or errand is None:
                yield found
            if errand is not None and do is not None:
                await do(errand)

    def wait_for(self, function: Callable[[], T]) -> T:
        """Run a function in a worker thread and wait for it; called from other threads."""
        return self._submit(function, is_short=False).result()

    def close(self, seconds: float) -> bool:
        """Stop the threads; return whether all ended within `seconds`."""
        with self._changed:
            self._is_closed = True
            for _, future in (*self._short, *self._long):
                future.cancel()
            self._short.clear()
            self._long.clear()
            self._changed.notify_all()
        last = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(last - time.monotonic(), 0))
        return not any(thread.is_alive() for thread in self._threads)

    def _submit(self, function: Callable[[], T], *, is_short: bool) -> Future[T]:
        future: Future[T] = Future()
        with self._changed:
            if self._is_closed:
                future.cancel()
            else:
                (self._short if is_short else self._long).append((function, future))
                # the thread for short requests could be the one that wakes up
                self._changed.notify(1 if is_short else 2)
        return future

    def _work(self, only_short: bool) -> None:
        while True:
            with self._changed:
                while not self._short and (only_short or not self._long):
                    if self._is_closed:
                        return
                    self._changed.wait()
                self._n_taken += 1
                is_long_due = self._n_taken % LONG_TURNS == 0 and self._long and not only_short
                queue = self._long if is_long_due or not self._short else self._short
                function, future = queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                found = function()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(found)
            del function, future


def turn(steps: Iterator[T | Errand]) -> tuple[list[T], Errand | None, bool]:
    """Run as many steps as one turn allows, up to an errand.

    Return their results, the errand, and whether there are no more steps.

    >>> turn(iter("abc"))
    (['a', 'b', 'c'], None, True)
    """
    soonest, end = time.perf_counter() + TURN, time.thread_time() + TURN
    found: list[T] = []
    for step in steps:
        if isinstance(step, Errand):
            return found, step, False
        found.append(step)
        # thread_time is a system call, which may yield the core: only called after TURN
        if time.perf_counter() >= soonest and time.thread_time() >= end:
            return found, None, False
    return found, None, True
