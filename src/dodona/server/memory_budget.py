"""A budget for the memory of all requests together; requests beyond it are refused.

Counted is what grows with a request: its body, from the first byte on, and what is made of it. A
server without such a budget would be killed by the system.
"""

from __future__ import annotations

from threading import Lock

from dodona.core.base.heaps import return_memory
from dodona.server.errors import CLOSE, Refused
from dodona.server.limits import Limits

SMALL = 1_000_000  # bytes that a request may hold even when large requests have used up their share
LARGE = 1_000_000  # bytes: larger requests may leave fragmented memory behind
ADVICE = "send less at a time, or all of it to /api/parse.conllu, which streams"


class MemoryBudget:
    """The bytes that are left, shared by the event loop and the worker threads.

    A quarter is reserved for small requests, so that a few large ones cannot block all others.

    >>> memory = MemoryBudget(100_000_000)
    >>> memory.take(40_000_000), memory.take(40_000_000), memory.take(500_000, is_small=True)
    (True, False, True)
    """

    def __init__(self, n_bytes: int) -> None:
        self.most = n_bytes // 2  # for one request
        self._for_small = n_bytes // 4
        self._n_free = n_bytes
        self._lock = Lock()

    def take(self, n_bytes: int, *, is_small: bool = False) -> bool:
        """Take bytes from the budget; return whether there were enough left."""
        with self._lock:
            if self._n_free - n_bytes < (0 if is_small else self._for_small):
                return False
            self._n_free -= n_bytes
            return True

    def give_back(self, n_bytes: int) -> None:
        with self._lock:
            self._n_free += n_bytes


class RequestBudget:
    """The bytes and words that one request uses; the bytes are returned when it ends."""

    def __init__(self, memory: MemoryBudget, limits: Limits) -> None:
        self.limits = limits
        self._memory = memory
        self._n_held = 0
        self._n_words = 0
        self._is_closed = False
        self._lock = Lock()

    def hold(self, n_bytes: int) -> None:
        """Take more bytes, or refuse the request."""
        with self._lock:
            n_held = self._n_held + n_bytes
            if n_held > self._memory.most:
                why = f"the request needs more memory than this server allows; {ADVICE}"
                raise Refused(413, why, CLOSE, reason="memory")
            is_free = self._memory.take(n_bytes, is_small=n_held <= SMALL)
            if self._is_closed or not is_free:
                self._memory.give_back(n_bytes if is_free else 0)
                why = "the server is out of memory for requests; try again later"
                raise Refused(503, why, {**CLOSE, "Retry-After": "5"}, reason="memory")
            self._n_held = n_held

    def count_words(self, n_words: int) -> None:
        """Count more words, or refuse the request."""
        self._n_words += n_words
        if self._n_words > self.limits.max_words:
            raise too_many_words(self.limits)

    def close(self) -> None:
        """Return all bytes; a worker thread that still runs gets no more."""
        with self._lock:
            self._is_closed = True
            self._memory.give_back(self._n_held)
            n_held, self._n_held = self._n_held, 0
        if n_held > LARGE:
            return_memory()


def too_many_words(limits: Limits) -> Refused:
    """Return the refusal of a request with too many words."""
    why = f"the request has more than {limits.max_words:,} words; {ADVICE}"
    return Refused(413, why, reason="max_words")
