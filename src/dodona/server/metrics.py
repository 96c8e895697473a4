"""Counters of the server in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters, which only the thread of the event loop changes.

    >>> metrics = Metrics()
    >>> metrics.count("/process", 200, 0.003)
    >>> 'dodona_requests_total{path="/process",status="200"} 1' in metrics.text()
    True
    """

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.n_words = 0
        self.n_in_flight = 0
        self.seconds = 0.0
        self._buckets = [0] * (len(BUCKETS) + 1)  # the last: above all buckets

    def count(self, path: str, status: int, seconds: float) -> None:
        self.requests[path, status] += 1
        self.seconds += seconds
        self._buckets[bisect_left(BUCKETS, seconds)] += 1

    def text(self) -> str:
        """Return all counters in Prometheus' text format."""
        n_requests = sum(self.requests.values())
        n_errors = sum(n for (_, status), n in self.requests.items() if status >= 400)
        lines = [_about("dodona_requests_total", "counter", "Requests answered.")]
        for (path, status), n in sorted(self.requests.items()):
            lines.append(f'dodona_requests_total{{path="{path}",status="{status}"}} {n}')
        lines += [
            _about("dodona_errors_total", "counter", "Requests answered with a 4xx or 5xx."),
            f"dodona_errors_total {n_errors}",
            _about("dodona_words_total", "counter", "Words processed."),
            f"dodona_words_total {self.n_words}",
            _about("dodona_requests_in_flight", "gauge", "Requests being answered."),
            f"dodona_requests_in_flight {self.n_in_flight}",
            _about("dodona_request_seconds", "histogram", "Time from request to answer."),
        ]
        for limit, n in zip((*BUCKETS, "+Inf"), accumulate(self._buckets), strict=True):
            lines.append(f'dodona_request_seconds_bucket{{le="{limit}"}} {n}')
        lines += [
            f"dodona_request_seconds_sum {self.seconds:.6f}",
            f"dodona_request_seconds_count {n_requests}",
        ]
        return "\n".join(lines) + "\n"


def _about(name: str, kind: str, what: str) -> str:
    return f"# HELP {name} {what}\n# TYPE {name} {kind}"
