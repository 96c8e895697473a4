"""What one request may ask for, and what all of them together may."""

from __future__ import annotations

import os
from dataclasses import dataclass

WIDEST_PICTURE = 10_000  # pixels


@dataclass(frozen=True)
class Limits:
    """How much, how long, how many. `dodona serve` has a flag for each.

    >>> Limits(seconds=5).seconds
    5
    """

    # a request
    max_bytes: int = 16_000_000  # of its body; a stream has no limit
    max_words: int = 500_000  # a stream has no limit
    seconds: float = 60.0  # from its first byte to the last of the answer; a stream has no limit
    # a client
    patience: float = 20.0  # seconds that it sends nothing or takes nothing
    head_seconds: float = 5.0  # for the head of a request
    slowest: int = 1000  # bytes a second that it sends or takes, after its patience is used up
    # the explorer
    explore_words: int = 250  # drawings, too: long ones say nothing and take long
    explore_arcs: int = 1000
    explore_actions: int = 2000  # of a path
    explore_seconds: float = 10.0
    # all together
    memory: int = 200_000_000  # bytes that requests hold
    waiting: int = 64  # requests at work or in line for it; more are sent away
    streams: int = 8  # at a time; each has a thread
    connections: int = 1000
    heads: int = 250  # connections whose request has no whole head yet
    # that parse: while one waits for the interpreter, another has its core
    threads: int = (os.cpu_count() or 1) + 1
    explorers: int = 2  # threads that explore
    grace: float = 10.0  # seconds for what is under way when the server is told to end

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} is more than 0, not {value}")
