"""Counters of the server in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NO_MODEL = ""


@dataclass
class Histogram:
    """How long requests took; the last bucket is above all limits."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    seconds: float = 0.0

    def count(self, seconds: float) -> None:
        self.seconds += seconds
        self.buckets[bisect_left(BUCKETS, seconds)] += 1

    def add(self, other: Histogram) -> None:
        self.seconds += other.seconds
        self.buckets = [a + b for a, b in zip(self.buckets, other.buckets, strict=True)]

    def lines(self, name: str, labels: str = "") -> Iterator[str]:
        """Yield the lines of the text format; `labels` stand before the limit of a bucket."""
        before = f"{labels}," if labels else ""
        for limit, n in zip((*BUCKETS, "+Inf"), accumulate(self.buckets), strict=True):
            yield f'{name}_bucket{{{before}le="{limit}"}} {n}'
        inside = f"{{{labels}}}" if labels else ""
        yield f"{name}_sum{inside} {self.seconds:.6f}"
        yield f"{name}_count{inside} {sum(self.buckets)}"


@dataclass
class Metrics:
    """Counters, which only the thread of the event loop changes.

    >>> metrics = Metrics()
    >>> metrics.count("/process", 200, 0.003)
    >>> 'dodona_requests_total{path="/process",status="200"} 1' in metrics.text()
    True
    """

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)  # by the limit that was exceeded
    seconds: dict[tuple[str, str], Histogram] = field(default_factory=dict)  # by path and model
    n_words: int = 0
    n_in_flight: int = 0
    n_log_lines_dropped: int = 0

    def count(self, path: str, status: int, seconds: float, model: str = NO_MODEL) -> None:
        """Count a request that was answered."""
        self.requests[path, status] += 1
        histogram = self.seconds.get((path, model))
        if histogram is None:
            histogram = self.seconds[path, model] = Histogram()
        histogram.count(seconds)

    def add(self, other: Metrics) -> None:
        """Add the counters of another process of the server."""
        self.requests.update(other.requests)
        self.refused.update(other.refused)
        for key, histogram in other.seconds.items():
            self.seconds.setdefault(key, Histogram()).add(histogram)
        self.n_words += other.n_words
        self.n_in_flight += other.n_in_flight
        self.n_log_lines_dropped += other.n_log_lines_dropped

    def text(self) -> str:
        """Return all counters in Prometheus' text format."""
        whole = Histogram()
        for histogram in self.seconds.values():
            whole.add(histogram)
        n_errors = sum(n for (_, status), n in self.requests.items() if status >= 400)
        dropped = "Log lines dropped because nobody read them."
        lines = [
            _about("dodona_requests_total", "counter", "Requests answered."),
            *(
                f'dodona_requests_total{{path="{path}",status="{status}"}} {n}'
                for (path, status), n in sorted(self.requests.items())
            ),
            *_single("dodona_errors_total", "Requests answered with a 4xx or 5xx.", n_errors),
            _about(
                "dodona_refused_total", "counter", "Requests and connections refused, by limit."
            ),
            *(
                f'dodona_refused_total{{reason="{reason}"}} {n}'
                for reason, n in sorted(self.refused.items())
            ),
            *_single("dodona_words_total", "Words processed.", self.n_words),
            *_single("dodona_log_lines_dropped_total", dropped, self.n_log_lines_dropped),
            _about("dodona_requests_in_flight", "gauge", "Requests being answered."),
            f"dodona_requests_in_flight {self.n_in_flight}",
            _about("dodona_request_seconds", "histogram", "Time from request to answer."),
            *whole.lines("dodona_request_seconds"),
            _about("dodona_route_seconds", "histogram", "The same, by path and model."),
        ]
        for (path, model), histogram in sorted(self.seconds.items()):
            labels = f'path="{path}",model="{_escape(model)}"'
            lines += histogram.lines("dodona_route_seconds", labels)
        return "\n".join(lines) + "\n"


def _single(name: str, what: str, value: int) -> tuple[str, str]:
    return _about(name, "counter", what), f"{name} {value}"


def _about(name: str, kind: str, what: str) -> str:
    return f"# HELP {name} {what}\n# TYPE {name} {kind}"


def _escape(value: str) -> str:
    """Escape a label's value.

    >>> _escape('a"b')
    'a\\\\"b'
    """
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
