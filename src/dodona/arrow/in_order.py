"""Work that several threads share, given out in the order in which it came in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

AHEAD = 2  # pieces in flight per thread

Given = TypeVar("Given")
Made = TypeVar("Made")


def in_order(
    work: Callable[[Given], Made], pieces: Iterable[Given], threads: int
) -> Iterator[Made]:
    """What `work` makes of each piece; few pieces are taken ahead of those that are given out.

    >>> list(in_order(len, ["oak", "speaks"], threads=2))
    [3, 6]
    """
    if threads == 1:
        yield from map(work, pieces)
        return
    waiting: deque[Future[Made]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for piece in pieces:
            waiting.append(pool.submit(work, piece))
            if len(waiting) > threads * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
