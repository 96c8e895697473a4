"""A limited number of slots for requests; further requests are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dodona.server.errors import Refused


class RequestSlots:
    """Slots for requests; used only by the thread of the event loop.

    >>> slots = RequestSlots(1, "too many requests", retry_after=1)
    >>> with slots.take(), slots.take():
    ...     pass
    Traceback (most recent call last):
    dodona.server.errors.Refused: too many requests
    """

    def __init__(self, n_slots: int, why: str, *, retry_after: int) -> None:
        self._n_free = n_slots
        self._why = why
        self._headers = {"Retry-After": str(retry_after)}

    @property
    def is_full(self) -> bool:
        """Whether no slot is free."""
        return not self._n_free

    @contextmanager
    def take(self) -> Iterator[None]:
        """Occupy a slot for the duration of a `with` block, or refuse the request."""
        if not self._n_free:
            raise Refused(503, self._why, self._headers)
        self._n_free -= 1
        try:
            yield
        finally:
            self._n_free += 1
