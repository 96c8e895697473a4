"""Threads that work on requests in turns, so that a short one never waits for a long one to end.

A request is a generator of steps. It gets a thread for a moment (TURN), then goes to the end of the
line. Parsing releases the interpreter lock, so that threads do run side by side.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dodona.server.places import Places

T = TypeVar("T")

TURN = 0.02  # seconds of work, not of waiting; a slice that was begun is finished


class Workers:
    """A pool of threads with a line before it that is not endless."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="dodona")
        why = "too much to do; try again in a moment"
        self.places = Places(waiting, why, retry_after=1)

    async def turns(self, steps: Iterator[T]) -> AsyncIterator[list[T]]:
        """What the steps yield, turn by turn; a lone turn is one list."""
        loop = asyncio.get_running_loop()
        is_done = False
        while not is_done:
            found, is_done = await loop.run_in_executor(self._pool, turn, steps)
            yield found

    def wait_for(self, function: Callable[[], T]) -> T:
        """What a function returns that is done in one go, for a thread that is none of ours."""
        return self._pool.submit(function).result()

    def close(self) -> None:
        """Let the threads go when they are done."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def turn(steps: Iterator[T]) -> tuple[list[T], bool]:
    """The next steps, as many as one turn allows, and whether these were the last.

    >>> turn(iter("abc"))
    (['a', 'b', 'c'], True)
    """
    end = time.thread_time() + TURN
    found = []
    for step in steps:
        found.append(step)
        if time.thread_time() >= end:
            return found, False
    return found, True
