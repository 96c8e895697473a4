"""Atomic writes: a new file replaces an old one completely or not at all.

The new file is written beside the old one as `.NAME.XXXXXXXX.part`, fsynced, and then renamed. It
is locked while it is written, so an unlocked one was left by a process that was killed: the next
writer of the same file removes it.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST, EINVAL, ENOTSUP
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed or renamed
    fcntl = None  # type: ignore[assignment]

_BUFFER_SIZE = 1 << 20


class NamedFile(io.FileIO):
    """A file whose errors name the path the user gave; errors of a full disk name none."""

    def __init__(self, file: Path | int, mode: str, called: str, *, closefd: bool = True) -> None:
        with naming(called):
            super().__init__(file, mode, closefd)
        self._called = called

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:  # `naming` takes longer than a small write
            error.filename = self._called
            raise


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Make operating system errors in this block name `path` instead of a temporary file.

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
def atomic_write(path: str | os.PathLike[str], *, replace: bool = True) -> Iterator[IO[bytes]]:
    """Open a binary file for writing that replaces `path` when the block ends without an error.

    A symbolic link stays, and its target is replaced. A device, a pipe or a terminal is written
    directly: renaming over it would destroy it. Without `replace`, whatever is at `path` at the end
    of the block stays, and FileExistsError is raised.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder, "oak")) as file:
    ...         _ = file.write(b"speaks")
    ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
    [('oak', 'speaks')]
    """
    called, target = os.fspath(path), Path(os.path.realpath(path))
    if not replace:  # a link is not followed
        target = Path(os.path.realpath(Path(path).parent), Path(path).name)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{called}: the folder {target.parent} does not exist")
    if replace and target.exists() and not target.is_file():
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
                file.close()  # Windows renames no open file; elsewhere the lock stays
            part = Path(str(raw.name))
            if replace:
                _rename(part, target)
            else:
                _link(part, target)


@contextmanager
def _part_of(target: Path, called: str) -> Iterator[NamedFile]:
    """Create a locked file beside the target; remove it at the end unless it was renamed."""
    while True:
        part = target.with_name(f".{target.name}.{os.urandom(4).hex()}.part")
        try:  # from before it exists: a signal may come at any time
            raw = NamedFile(part, "xb", called)
            if _is_ours(raw):
                yield raw
                return
            raw.close()
        finally:
            part.unlink(missing_ok=True)


def _is_ours(raw: NamedFile) -> bool:
    """Lock a new file; return False if another writer has just swept it away."""
    try:
        return lock(raw) and os.fstat(raw.fileno()).st_nlink > 0
    except OSError:  # a file system without locks, where nothing is swept
        return True


def lock(file: IO[bytes] | io.FileIO) -> bool:
    """Lock a file; return False if another process holds the lock."""
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _rename(part: Path, target: Path) -> None:
    """Rename the finished file and fsync its folder."""
    if target.exists():
        part.chmod(stat.S_IMODE(target.stat().st_mode))
    with _synced(target.parent):
        part.replace(target)


def _link(part: Path, target: Path) -> None:
    """Give the finished file its name unless that is taken, and fsync its folder."""
    with _synced(target.parent):
        try:
            os.link(part, target)  # unlike a rename, it never replaces a file
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):  # a file system without hard links
            if os.path.lexists(target):
                raise FileExistsError(EEXIST, os.strerror(EEXIST), str(target)) from None
            part.replace(target)


@contextmanager
def _synced(path: Path) -> Iterator[None]:
    """Fsync a folder at the end of the block."""
    with _folder(path) as folder:
        yield
        if folder is not None:
            try:
                os.fsync(folder)
            except OSError as error:  # some file systems cannot fsync a folder
                if error.errno not in (EINVAL, ENOTSUP):
                    raise


@contextmanager
def _folder(path: Path) -> Iterator[int | None]:
    """Open a folder for fsync; None where that is not possible."""
    try:
        folder = None if fcntl is None else os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder that may be written but not read
        folder = None
    try:
        yield folder
    finally:
        if folder is not None:
            os.close(folder)


def _sweep(target: Path) -> None:
    """Remove the unlocked leftovers of earlier attempts to write this file."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]+\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _remove_if_left(part: Path) -> None:
    if fcntl is None:
        part.unlink()  # Windows refuses that while it is open
        return
    with part.open("rb", buffering=0) as file:
        if lock(file):
            part.unlink()
