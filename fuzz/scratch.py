"""A file for what can only be read from one: in memory where that is possible, which is quick."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

MEMORY = Path("/dev/shm")  # of Linux; elsewhere where temporary files are


@cache
def _file() -> IO[bytes]:
    """It goes when the process ends."""
    folder = str(MEMORY) if MEMORY.is_dir() else None
    return NamedTemporaryFile(prefix="fuzz-", dir=folder, buffering=0)


def on_disk(data: bytes) -> Path:
    """The file with these bytes, until the next call."""
    file = _file()
    file.seek(0)
    file.truncate()
    file.write(data)
    return Path(file.name)
