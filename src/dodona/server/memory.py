"""Memory that requests hold: so much for all of them, and who needs more than is left must wait.

What is counted is what grows with a request: its body, from the first byte on, and what is made of
it. A server that counts refuses in time; one that does not is ended by the system.
"""

from __future__ import annotations

from threading import Lock

from dodona.server.errors import CLOSE, Refused
from dodona.server.limits import Limits

SMALL = 1_000_000  # bytes: what a request may hold also when large ones have taken their part
ELSE = "send less at a time, or all of it to /api/parse.conllu, which streams"


class Memory:
    """The bytes that are left, counted by the event loop and by workers.

    Large requests leave a quarter to small ones, so that a few that never end do not stop all.

    >>> memory = Memory(100_000_000)
    >>> memory.take(40_000_000), memory.take(40_000_000), memory.take(500_000, is_small=True)
    (True, False, True)
    """

    def __init__(self, n_bytes: int) -> None:
        self.most = n_bytes // 2  # for one request
        self._for_small = n_bytes // 4
        self._n_free = n_bytes
        self._lock = Lock()

    def take(self, n_bytes: int, *, is_small: bool = False) -> bool:
        """Whether there were so many left; if so, they are taken."""
        with self._lock:
            if self._n_free - n_bytes < (0 if is_small else self._for_small):
                return False
            self._n_free -= n_bytes
            return True

    def give_back(self, n_bytes: int) -> None:
        """So many are free again."""
        with self._lock:
            self._n_free += n_bytes


class Allowance:
    """What one request may use: bytes, which it gives back at its end, and words."""

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self.limits = limits
        self._memory = memory
        self._n_held = 0
        self._n_words = 0
        self._is_closed = False
        self._lock = Lock()

    def hold(self, n_bytes: int) -> None:
        """So many bytes more, or a refusal."""
        with self._lock:
            n_held = self._n_held + n_bytes
            if n_held > self._memory.most:
                raise Refused(413, f"too much for the memory of this server; {ELSE}", CLOSE)
            is_free = self._memory.take(n_bytes, is_small=n_held <= SMALL)
            if self._is_closed or not is_free:
                self._memory.give_back(n_bytes if is_free else 0)
                why = "no memory is left for this; try again later"
                raise Refused(503, why, {**CLOSE, "Retry-After": "5"})
            self._n_held = n_held

    def count_words(self, n_words: int) -> None:
        """So many words more, or a refusal."""
        self._n_words += n_words
        if self._n_words > self.limits.max_words:
            raise too_many_words(self.limits)

    def close(self) -> None:
        """Give the bytes back; a worker that did not notice yet gets no more."""
        with self._lock:
            self._is_closed = True
            self._memory.give_back(self._n_held)
            self._n_held = 0


def too_many_words(limits: Limits) -> Refused:
    """A request of more words than one may have."""
    return Refused(413, f"a request of more than {limits.max_words:,} words; {ELSE}")
