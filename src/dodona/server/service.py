"""What every request of a server shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.types import Scope

from dodona.server.helpers import Helpers
from dodona.server.limits import Limits
from dodona.server.memory import Allowance, Memory
from dodona.server.metrics import Metrics
from dodona.server.models import Models
from dodona.server.pace import Crowd, Streams
from dodona.server.places import Places
from dodona.server.workers import Workers


@dataclass
class Service:
    """Models, the threads that work with them, and what they have done."""

    models: Models
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        limits = self.limits
        self.memory = Memory(limits.memory)
        self.places = Places(limits.waiting, "too much to do; try again in a moment", retry_after=1)
        n_explorers = max(limits.waiting // 4, 1)  # the rest is for those who are quicker
        why = "too much to explore; try again in a moment"
        self.explorer_places = Places(n_explorers, why, retry_after=5)
        self.workers = Workers(limits.threads)
        self.helpers = Helpers({model.name: model.parser for model in self.models}, limits)
        self.senders, self.takers = Crowd(limits), Crowd(limits)
        self.streams = Streams(limits)

    def count_words(self, scope: Scope, n_words: int) -> None:
        """Words that were parsed for a request: for the metrics, and for its line in the log."""
        self.metrics.n_words += n_words
        state = scope.setdefault("state", {})
        state["n_words"] = state.get("n_words", 0) + n_words

    def close(self, seconds: float = 0.0) -> bool:
        """Let the threads go; whether all of them ended within that time."""
        self.helpers.close()
        return self.workers.close(seconds)


def service_of(request: Request) -> Service:
    """The service that a request asks."""
    found: Service = request.app.state.service
    return found


def allowance_of(request: Request) -> Allowance:
    """What a request may use."""
    found: Allowance = request.scope["state"]["allowance"]
    return found
