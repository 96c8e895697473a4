"""Limits of a server: what one request may use, and what all requests together may use."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TypeVar

MEGABYTE = 1_000_000
WIDEST_PICTURE = 10_000  # pixels

N = TypeVar("N", int, float)


def _limit(default: N, unit: str, help: str, shown: str | None = None) -> N:
    """Declare a limit, in `unit` for people; `shown` is the default that the help shows.

    Megabytes are kept as bytes: a limit is `scale` times the number that people give.
    """
    scale = MEGABYTE if unit == "megabytes" else 1
    metadata = {"unit": unit, "help": help, "scale": scale, "shown": shown}
    found: N = field(default=default, metadata=metadata)
    return found


@dataclass(frozen=True)
class Limits:
    """All limits of a server; `dodona serve` has a flag of the same name for each.

    Streams are exempt from the limits of one request.

    >>> Limits(timeout=5).timeout
    5
    """

    # of one request
    max_size: int = _limit(16_000_000, "megabytes", "largest request body in megabytes")
    max_words: int = _limit(500_000, "words", "most words in a request")
    timeout: float = _limit(60.0, "seconds", "seconds for a request, up to the end of its answer")
    # of one client
    patience: float = _limit(20.0, "seconds", "seconds for which a client may stall")
    head_timeout: float = _limit(5.0, "seconds", "seconds to send the headers of a request")
    keep_alive: float = _limit(
        75.0, "seconds", "seconds for which a connection stays open between two requests"
    )
    min_rate: int = _limit(
        1000, "bytes per second", "bytes per second that a client must send or read"
    )
    # of the explorer; drawings of more words are unreadable and take long
    explore_words: int = _limit(250, "words", "most words in a sentence that is explored or drawn")
    explore_arcs: int = _limit(1000, "arcs", "most arcs in a graph that is explored or drawn")
    explore_actions: int = _limit(2000, "actions", "most actions on the path to a state")
    explore_timeout: float = _limit(10.0, "seconds", "seconds to explore a state")
    # of all requests together
    memory: int = _limit(200_000_000, "megabytes", "megabytes that all requests together may hold")
    waiting: int = _limit(64, "requests", "requests in progress or waiting; more are refused")
    streams: int = _limit(8, "streams", "streams at a time")
    connections: int = _limit(1000, "connections", "connections at a time")
    heads: int = _limit(250, "connections", "connections whose request headers are incomplete")
    # while a thread waits for the GIL, another one uses its core
    threads: int = _limit(
        (os.cpu_count() or 1) + 1,
        "threads",
        "parsing threads",
        shown="one more than there are cores",
    )
    explorers: int = _limit(2, "processes", "explorer processes")
    grace: float = _limit(10.0, "seconds", "seconds to finish open requests on shutdown")

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} must be a number above 0, not {value}")
