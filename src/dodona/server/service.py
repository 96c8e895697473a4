"""What every request of a server shares."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.requests import Request

from dodona.server.errors import Refused, bad
from dodona.server.limits import Limits
from dodona.server.metrics import Metrics
from dodona.server.models import Model, Models
from dodona.server.workers import Workers


@dataclass
class Service:
    """Models, the threads that work with them, and what they have done."""

    models: Models
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.workers = Workers(self.limits.threads, self.limits.waiting)
        self._n_streams = 0

    @contextmanager
    def stream_place(self) -> Iterator[None]:
        """One of the few streams; the next one is sent away."""
        if self._n_streams == self.limits.streams:
            why = f"{self._n_streams} streams are open already; try again later"
            raise Refused(503, why, {"Retry-After": "10"})
        self._n_streams += 1
        try:
            yield
        finally:
            self._n_streams -= 1

    def model(self, name: str | None) -> Model:
        """The model that a request names, or the default."""
        try:
            return self.models.find(name)
        except KeyError as error:
            raise bad(str(error.args[0])) from None


def service_of(request: Request) -> Service:
    """The service that a request asks."""
    found: Service = request.app.state.service
    return found
