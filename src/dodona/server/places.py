"""Places for requests: so many at a time, and who comes when all are taken is sent away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dodona.server.errors import Refused


class Places:
    """Places that are taken and given back, all by the one thread that runs the event loop.

    >>> places = Places(1, "too much to do", retry_after=1)
    >>> with places.take(), places.take():
    ...     pass
    Traceback (most recent call last):
    dodona.server.errors.Refused: too much to do
    """

    def __init__(self, n_places: int, why: str, *, retry_after: int) -> None:
        self._n_free = n_places
        self._why = why
        self._headers = {"Retry-After": str(retry_after)}

    @property
    def are_taken(self) -> bool:
        """Whether none is free."""
        return not self._n_free

    @contextmanager
    def take(self) -> Iterator[None]:
        """One of them, until it is given back."""
        if not self._n_free:
            raise Refused(503, self._why, self._headers)
        self._n_free -= 1
        try:
            yield
        finally:
            self._n_free += 1
