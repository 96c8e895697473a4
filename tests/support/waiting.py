"""Waiting for something that another process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait until something holds; return False if it does not, even on a busy machine."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.1)
    return False
