"""Input files as they are read: their checksum is that of the bytes that were parsed.

A file that is replaced by another one is read to its end as it was. A file that is written to while
it is read is an error: its rows would be those of no file that ever existed.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from pyarrow import fs

from dodona.arrow.locations import Location

BLOCK = 1 << 20
# The clock of a file system stands still for a while (FAT: 2 s, Linux: 4 ms). A file that has been
# written to so recently can change again without a change of its time.
TICK_NS = 2 * 10**9


class FileState(NamedTuple):
    """What a change of a file changes; `ctime_ns` also changes with links and permissions."""

    size: int
    mtime_ns: int
    ctime_ns: int = 0
    identity: tuple[int, int] = (0, 0)

    def is_young(self) -> bool:
        """Return whether the file may change without a change of its time."""
        return time.time_ns() - self.mtime_ns < TICK_NS


@dataclass(frozen=True)
class Fingerprint:
    """The content of a file; `mtime_ns` is None if an equal time would prove nothing."""

    size: int
    mtime_ns: int | None
    sha256: str

    def fits(self, location: Location) -> bool:
        """Return whether a file has this content; it is read only if its time differs."""
        now = state_of(location)
        if now is None or now.size != self.size:
            return False
        return now.mtime_ns == self.mtime_ns or checksum_in(location, now) == self.sha256


def state_of(location: Location) -> FileState | None:
    """Return the state of the file at a location; None if there is no file."""
    info = location.system.get_file_info(location.path)
    return FileState(info.size, info.mtime_ns or 0) if info.type == fs.FileType.File else None


def checksum(location: Location) -> str:
    """Return the SHA-256 of a file, not decompressed."""
    digest = hashlib.sha256()
    with location.system.open_input_stream(location.path, compression=None) as stream:
        while data := stream.read(BLOCK):
            digest.update(data)
    return digest.hexdigest()


def checksum_in(location: Location, state: FileState) -> str:
    """Return the SHA-256 of a file in this state; a file with many parts is read once."""
    return checksum(location) if state.is_young() else _checksum_in(location, state)


@lru_cache(maxsize=1)
def _checksum_in(location: Location, state: FileState) -> str:
    return checksum(location)


class Source:
    """An open input file, for sequential reading or, with `seekable`, for random access."""

    _last: tuple[object, str] = (None, "")  # of local files, as `_checksum_in`

    def __init__(self, location: Location, *, seekable: bool = False) -> None:
        self.location = location
        self._stack = ExitStack()
        self.file: Any = self._stack.enter_context(self._open(seekable))
        self.state = self._state()
        self.is_young = self.state.is_young()

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _open(self, seekable: bool) -> Any:
        system, path = self.location.system, self.location.path
        if self.location.is_local:
            return Path(path).open("rb")
        if seekable:
            return system.open_input_file(path)
        return system.open_input_stream(path, compression=None)

    def checksum(self) -> str:
        """Return the SHA-256 of the whole file."""
        if not self.location.is_local:
            return checksum_in(self.location, self.state)
        key = self.location.path, self.state
        last = Source._last  # threads may replace it
        if self.is_young or last[0] != key:
            Source._last = last = key, self._reread()
        return last[1]

    def fingerprint(self, sha256: str) -> Fingerprint:
        """Return the fingerprint of the bytes that were read; raise an error if they changed."""
        now = self._state()
        is_other = now[:2] != self.state[:2]
        if self.location.is_local and not is_other and (self.is_young or now != self.state):
            is_other = self._reread() != sha256
        if is_other:
            raise ValueError(
                f"{self.location.name} was changed while it was read; when it is complete, "
                "continue with --resume"
            )
        return Fingerprint(now.size, None if self.is_young else now.mtime_ns, sha256)

    def _state(self) -> FileState:
        if self.location.is_local:
            state = os.fstat(self.file.fileno())
            times = state.st_mtime_ns, state.st_ctime_ns
            return FileState(state.st_size, *times, (state.st_dev, state.st_ino))
        return state_of(self.location) or FileState(0, 0)

    def _reread(self) -> str:
        """Return the SHA-256 of a local file, read past its buffer."""
        digest, descriptor = hashlib.sha256(), self.file.fileno()
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, 0, os.SEEK_SET)
        while data := os.read(descriptor, BLOCK):
            digest.update(data)
        os.lseek(descriptor, position, os.SEEK_SET)
        return digest.hexdigest()


class HashedStream(io.RawIOBase):
    """The bytes of a source, hashed as they are read."""

    def __init__(self, source: Source) -> None:
        self._source, self._digest = source, hashlib.sha256()

    def readable(self) -> bool:
        """Return True: this is an input stream."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, and return the number of bytes."""
        view = memoryview(buffer).cast("B")
        data = self._source.file.read(len(view))
        self._digest.update(data)
        view[: len(data)] = data
        return len(data)

    def finish(self) -> Fingerprint:
        """Read what is left, and return the fingerprint of all bytes."""
        while data := self._source.file.read(BLOCK):
            self._digest.update(data)
        return self._source.fingerprint(self._digest.hexdigest())
