"""A new file takes the place of an old one as a whole or not at all, whatever happens meanwhile.

It is written beside the old one as `.NAME.XXXXXXXX.part`, brought to the disk, and only then
renamed. While somebody writes it, it is locked. So what lies there without a lock is left of a
process that was killed: whoever writes the same file next removes it.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOTSUP
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows, where nobody removes or renames a file that another has open
    fcntl = None  # type: ignore[assignment]

_BUFFER_SIZE = 1 << 20


class NamedFile(io.FileIO):
    """A file whose errors say what people call it: by itself, a full disk names nothing."""

    def __init__(self, file: Path | int, mode: str, called: str, *, closefd: bool = True) -> None:
        with naming(called):
            super().__init__(file, mode, closefd)
        self._called = called

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:  # not `naming`, which takes longer than a small write
            error.filename = self._called
            raise


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Errors of the system in this block name the path, and not what stands in for it.

    >>> with naming("my.dodona"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'my.dodona'
    """
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        if error.filename2 is not None:
            del error.filename2
        raise


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file to write; where the block ends well, it takes the place of what was there.

    A link stays one, and what it leads to is replaced. A device, a pipe or a terminal is written
    as it is: renaming over it would destroy it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "oak")) as file:
    ...         _ = file.write(b"speaks")
    ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
    [('oak', 'speaks')]
    """
    called, target = os.fspath(path), Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{called}: the folder {target.parent} does not exist")
    if target.exists() and not target.is_file():
        with io.BufferedWriter(NamedFile(target, "wb", called)) as file:
            yield file
        return
    _sweep(target)
    with _part_of(target, called) as raw, io.BufferedWriter(raw, _BUFFER_SIZE) as file:
        yield file
        with naming(called):
            file.flush()
            os.fsync(raw.fileno())
            if fcntl is None:
                file.close()  # Windows renames nothing that is open; elsewhere the lock stays
            _rename(Path(str(raw.name)), target)


@contextmanager
def _part_of(target: Path, called: str) -> Iterator[NamedFile]:
    """A new file beside the target, locked; at the end it is removed, if it has that name still."""
    while True:
        part = target.with_name(f".{target.name}.{os.urandom(4).hex()}.part")
        try:  # before it is there: a signal may come at any time
            raw = NamedFile(part, "xb", called)
            if _is_ours(raw):
                yield raw
                return
            raw.close()
        finally:
            part.unlink(missing_ok=True)


def _is_ours(raw: NamedFile) -> bool:
    """Lock a part; False where somebody has swept it away in the moment before."""
    try:
        return _lock(raw) and os.fstat(raw.fileno()).st_nlink > 0
    except OSError:  # a file system without locks: nothing is swept there
        return True


def _lock(file: IO[bytes] | io.FileIO) -> bool:
    """Mark a file as one that somebody is at; False where somebody else is."""
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _rename(part: Path, target: Path) -> None:
    """Give the part its name, and wait until the folder says so on the disk."""
    if target.exists():
        part.chmod(stat.S_IMODE(target.stat().st_mode))
    with _folder(target.parent) as folder:
        part.replace(target)
        if folder is not None:
            try:
                os.fsync(folder)
            except OSError as error:  # some file systems bring no folders to the disk
                if error.errno not in (EINVAL, ENOTSUP):
                    raise


@contextmanager
def _folder(path: Path) -> Iterator[int | None]:
    """A folder, opened to be brought to the disk; None where that cannot be done."""
    try:
        folder = None if fcntl is None else os.open(path, os.O_RDONLY)
    except PermissionError:  # files may be put there, but nobody may look at it
        folder = None
    try:
        yield folder
    finally:
        if folder is not None:
            os.close(folder)


def _sweep(target: Path) -> None:
    """Remove what earlier attempts to write this file have left, if nobody is at it any more."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]+\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _remove_if_left(part: Path) -> None:
    if fcntl is None:
        part.unlink()  # which is refused while it is open
        return
    with part.open("rb", buffering=0) as file:
        if _lock(file):
            part.unlink()
