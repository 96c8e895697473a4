"""Threads that work on requests in turns, so that a short one never waits for a long one to end.

A request is a generator of steps. It gets a thread for a moment (TURN), then goes to the end of the
line. Parsing releases the interpreter lock, so that threads do run side by side.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")

TURN = 0.02  # seconds of work, not of waiting; a slice that was begun is finished


class Workers:
    """A pool of threads."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="dodona")
        self._at_work: set[Future[object]] = set()

    async def turns(self, steps: Iterator[T]) -> AsyncIterator[list[T]]:
        """What the steps yield, turn by turn; a lone turn is one list."""
        is_done = False
        while not is_done:
            found, is_done = await asyncio.wrap_future(self._submit(turn, steps))
            yield found

    def wait_for(self, function: Callable[[], T]) -> T:
        """What a function returns that is done in one go, for a thread that is none of ours."""
        return self._submit(function).result()

    def close(self, seconds: float) -> bool:
        """Let the threads go; whether they were done within that time."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not wait(tuple(self._at_work), seconds).not_done

    def _submit(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        future = self._pool.submit(function, *arguments)
        self._at_work.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._at_work.discard)
        return future


def turn(steps: Iterator[T]) -> tuple[list[T], bool]:
    """The next steps, as many as one turn allows, and whether these were the last.

    >>> turn(iter("abc"))
    (['a', 'b', 'c'], True)
    """
    soonest, end = time.perf_counter() + TURN, time.thread_time() + TURN
    found = []
    for step in steps:
        found.append(step)
        # only the second look asks the system, which may take the chance to let others run
        if time.perf_counter() >= soonest and time.thread_time() >= end:
            return found, False
    return found, True
