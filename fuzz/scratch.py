"""A file for what can only be read from one: in memory where that is possible, which is quick."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

MEMORY = Path("/dev/shm")  # of Linux; elsewhere where temporary files are


@cache
def _folder() -> TemporaryDirectory[str]:
    """It goes when the process ends."""
    return TemporaryDirectory(prefix="fuzz-", dir=MEMORY if MEMORY.is_dir() else None)


@cache
def _file() -> IO[bytes]:
    return Path(_folder().name, "input").open("wb", buffering=0)


def on_disk(data: bytes) -> Path:
    """The file with these bytes, until the next call."""
    file = _file()
    file.seek(0)
    file.truncate()
    file.write(data)
    return Path(file.name)


def named_on_disk(name: str, data: bytes) -> Path:
    """A file of that name with these bytes, until the next call with this name."""
    path = Path(_folder().name, name)
    path.write_bytes(data)
    return path
