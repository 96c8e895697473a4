"""New files of a run, which appear when they are complete and replace no other file."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EEXIST
from os import strerror
from pathlib import Path
from typing import IO, Any, TypeAlias

from pyarrow import fs

from dodona.arrow.locations import Location
from dodona.storage.atomic import atomic_write


class HashedFile(io.RawIOBase):
    """An output file whose bytes are hashed as they are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest, self.size = file, hashlib.sha256(), 0

    def writable(self) -> bool:
        """Return True: this is an output stream."""
        return True

    def write(self, data: Any) -> int:
        """Write and hash bytes."""
        view = memoryview(data).cast("B")
        self._digest.update(view)
        self._file.write(view)
        self.size += len(view)
        return len(view)

    def mtime_ns(self) -> int | None:
        """Return the time of the last write; None if the file is not on this machine."""
        self._file.flush()
        try:
            return os.fstat(self._file.fileno()).st_mtime_ns
        except OSError:
            return None

    def sha256(self) -> str:
        """Return the checksum of all bytes so far."""
        return self._digest.hexdigest()


OutputFile: TypeAlias = IO[bytes] | HashedFile


@contextmanager
def open_new_file(location: Location) -> Iterator[IO[bytes]]:
    """Open a file that appears when complete; a remote one is written under another name first.

    FileExistsError is raised at the end if there is a file by then, which is never replaced.
    """
    if location.is_local:
        path = Path(location.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path, replace=False) as file:
            yield file
        return
    folder, _, name = location.path.rpartition("/")
    part = f"{folder}/.{name}.part"
    location.system.create_dir(folder, recursive=True)
    try:
        with location.system.open_output_stream(part, compression=None) as stream:
            yield stream
        if location.system.get_file_info(location.path).type != fs.FileType.NotFound:
            raise FileExistsError(EEXIST, strerror(EEXIST), location.name)
        location.system.move(part, location.path)
    except BaseException:
        if location.system.get_file_info(part).type == fs.FileType.File:
            location.system.delete_file(part)
        raise
