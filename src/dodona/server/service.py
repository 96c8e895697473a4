"""State shared by all requests of a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.types import Scope

from dodona.server.client_speed import ClientGroup, StreamGroup
from dodona.server.errors import Refused
from dodona.server.explorer_processes import ExplorerPool
from dodona.server.limits import Limits
from dodona.server.memory_budget import MemoryBudget, RequestBudget
from dodona.server.metrics import Metrics
from dodona.server.models import Models
from dodona.server.workers import Workers

WHOLE_BODY = "whole_body"  # in the state of a request: a function that returns its body, if whole


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
        return not self._n_free

    @contextmanager
    def take(self) -> Iterator[None]:
        """Occupy a slot for the duration of a `with` block, or refuse the request."""
        if not self._n_free:
            raise Refused(503, self._why, self._headers, reason="waiting")
        self._n_free -= 1
        try:
            yield
        finally:
            self._n_free += 1


@dataclass
class Service:
    """The models, the worker threads and processes, the shared resources and the counters."""

    models: Models
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        limits = self.limits
        self.memory = MemoryBudget(limits.memory)
        busy = "the server is busy; try again in a moment"
        self.slots = RequestSlots(limits.waiting, busy, retry_after=1)
        # long requests and the explorer leave a quarter of the slots to short requests
        self.long_slots = RequestSlots(max(limits.waiting // 2, 1), busy, retry_after=1)
        n_explorers = max(limits.waiting // 4, 1)
        why = "the explorer is busy; try again in a moment"
        self.explorer_slots = RequestSlots(n_explorers, why, retry_after=5)
        self.workers = Workers(limits.threads)
        self.explorers = self._new_explorers()
        self.is_ending = False
        self.before_metrics: Callable[[], None] = lambda: None  # called before they are shown
        self.all_metrics: Callable[[], Metrics] = lambda: self.metrics  # of all worker processes
        self.senders, self.readers = ClientGroup(limits), ClientGroup(limits)
        self.streams = StreamGroup(limits)

    def replace_models(self, models: Models) -> None:
        """Serve other models from now on; requests in progress finish with those they have."""
        self.models = models
        before, self.explorers = self.explorers, self._new_explorers()
        before.retire()

    def _new_explorers(self) -> ExplorerPool:
        return ExplorerPool({model.name: model.parser for model in self.models}, self.limits)

    def count_words(self, scope: Scope, n_words: int) -> None:
        """Count words parsed for a request, for the metrics and the log."""
        self.metrics.n_words += n_words
        state = scope.setdefault("state", {})
        state["n_words"] = state.get("n_words", 0) + n_words

    def close(self, seconds: float = 0.0) -> bool:
        """Stop threads and processes; return whether all threads ended within `seconds`."""
        self.explorers.close()
        return self.workers.close(seconds)


def service_of(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


def budget_of(request: Request) -> RequestBudget:
    found: RequestBudget = request.scope["state"]["budget"]
    return found
