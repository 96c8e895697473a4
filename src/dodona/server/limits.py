"""What one request may ask for, and what all of them together may."""

from __future__ import annotations

import os
from dataclasses import dataclass

MOST_DRAWN = 250  # words: to draw a sentence takes more than twice as long for twice the words
WIDEST_PICTURE = 10_000  # pixels


@dataclass(frozen=True)
class Limits:
    """How much, how long, how many.

    >>> Limits(seconds=5).seconds
    5
    """

    max_bytes: int = 16 << 20  # of a request's body; a stream has no limit
    seconds: float = 60.0  # for a request, from its first byte to the last of the answer
    patience: float = 20.0  # for a client that sends nothing or takes nothing
    waiting: int = 64  # requests at work or in line for it; more are sent away
    streams: int = 4  # streams at a time; each has a thread
    connections: int = 1024
    threads: int = os.cpu_count() or 1

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise ValueError(f"{name} is more than 0, not {value}")
