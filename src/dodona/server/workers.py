"""Worker threads that process requests in turns: short requests do not wait for long ones.

A request is a generator of steps. It runs in a thread for one turn (`TURN`), then goes to the end
of the queue. Parsing releases the GIL, so threads do run in parallel.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")

TURN = 0.02  # seconds of CPU time; a step that has begun is finished


class Workers:
    """A pool of worker threads."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="dodona")
        self._at_work: set[Future[object]] = set()

    async def turns(self, steps: Iterator[T]) -> AsyncIterator[list[T]]:
        """Yield what the steps yield, one list per turn."""
        is_done = False
        while not is_done:
            found, is_done = await asyncio.wrap_future(self._submit(turn, steps))
            yield found

    def wait_for(self, function: Callable[[], T]) -> T:
        """Run a function in a worker thread and wait for it; called from other threads."""
        return self._submit(function).result()

    def close(self, seconds: float) -> bool:
        """Stop the threads; return whether all ended within `seconds`."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not wait(tuple(self._at_work), seconds).not_done

    def _submit(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        future = self._pool.submit(function, *arguments)
        self._at_work.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._at_work.discard)
        return future


def turn(steps: Iterator[T]) -> tuple[list[T], bool]:
    """Run as many steps as one turn allows; return their results and whether they were the last.

    >>> turn(iter("abc"))
    (['a', 'b', 'c'], True)
    """
    soonest, end = time.perf_counter() + TURN, time.thread_time() + TURN
    found = []
    for step in steps:
        found.append(step)
        # thread_time is a system call, which may yield the core: only called after TURN
        if time.perf_counter() >= soonest and time.thread_time() >= end:
            return found, False
    return found, True
