"""What every request of a server shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.types import Scope

from dodona.server.limits import Limits
from dodona.server.metrics import Metrics
from dodona.server.models import Models
from dodona.server.places import Places
from dodona.server.workers import Workers


@dataclass
class Service:
    """Models, the threads that work with them, and what they have done."""

    models: Models
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.workers = Workers(self.limits.threads, self.limits.waiting)
        why = f"{self.limits.streams} streams are open already; try again later"
        self.streams = Places(self.limits.streams, why, retry_after=10)

    def count_words(self, scope: Scope, n_words: int) -> None:
        """Words that were parsed for a request: for the metrics, and for its line in the log."""
        self.metrics.n_words += n_words
        state = scope.setdefault("state", {})
        state["n_words"] = state.get("n_words", 0) + n_words


def service_of(request: Request) -> Service:
    """The service that a request asks."""
    found: Service = request.app.state.service
    return found
