"""A lock that keeps a second process away from a treebank."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import IO

from dodona.annotate.errors import LockedError
from dodona.storage.atomic import lock


class FileLock:
    """A locked file that says which process holds it; a crash releases the lock.

    The file is removed at the end. Systems without `flock` (Windows) refuse to remove a file that
    another process has open, which has the same effect.
    """

    def __init__(self, path: Path, subject: Path) -> None:
        """Lock `path`, or raise `LockedError` that names the process which annotates `subject`."""
        self._path = path
        self._file = self._open(subject)
        self._file.write(f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        self._file.flush()

    def _open(self, subject: Path) -> IO[bytes]:
        while True:
            if os.name == "nt":
                self._path.unlink(missing_ok=True)
            file = self._path.open("a+b")
            if not lock(file):
                file.seek(0)
                holder = file.read().decode(errors="replace").strip() or "another process"
                file.close()
                raise LockedError(
                    f"{subject}: {holder} is annotating this file; open another page there, or end "
                    "that process first"
                )
            if self._is_there(file):
                file.truncate(0)
                return file
            file.close()  # its holder has just removed it

    def _is_there(self, file: IO[bytes]) -> bool:
        try:
            return os.path.samestat(self._path.stat(), os.fstat(file.fileno()))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Remove the file and the lock."""
        if os.name == "nt":
            self._file.close()
        self._path.unlink(missing_ok=True)
        self._file.close()
