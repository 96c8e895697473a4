"""Journals of finished steps, by which an interrupted run is resumed.

A run consists of named steps. A step writes its files (`dodona.storage.atomic`) and is then
recorded as one line of the journal, a file of JSON lines that is fsynced after each of them. The
first line is the header: what all steps are made from, such as settings and digests of data. A run
is resumed only if its header is equal.

A process that is killed loses the steps that are not recorded: a torn last line is dropped, any
other line that cannot be read is an error that names the file and the line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from dodona.errors import DodonaError
from dodona.storage.atomic import NamedFile, lock

VERSION = 1

T = TypeVar("T")


class StepError(DodonaError, ValueError):
    """A journal that is damaged, in use, or made from something else."""


class JournalFile:
    """The file of a journal, `name` in errors; with `locked`, one process at a time opens it."""

    def __init__(self, path: Path, *, locked: bool = False, name: str | None = None) -> None:
        self.path, self.name = path, name or str(path)
        self._lock = self._acquire() if locked else None

    def read(self) -> bytes:
        """Return the content, empty if there is no file."""
        return self.path.read_bytes() if self.path.exists() else b""

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        os.truncate(self.path, size)

    def append(self, data: bytes) -> None:
        """Append data durably."""
        if self._lock is not None and not self._is_in_place(self._lock):
            raise StepError(
                f"{self.name}: the file was removed or replaced while the run was at work"
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with NamedFile(self.path, "ab", self.name) as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())

    def close(self) -> None:
        """Release the lock; a file in which nothing was recorded is removed."""
        if self._lock is not None:
            is_empty = os.fstat(self._lock.fileno()).st_size == 0
            if is_empty and self._is_in_place(self._lock):
                with suppress(OSError):  # Windows removes no open file
                    self.path.unlink()
            self._lock.close()

    def _is_in_place(self, file: IO[bytes]) -> bool:
        """Return whether an open file is still the one at our path."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(file.fileno()), self.path.stat())
        return False

    def _acquire(self) -> IO[bytes]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            file = self.path.open("ab", buffering=0)
            try:
                is_ours = lock(file)
            except OSError:  # a file system without locks
                return file
            if not is_ours:
                file.close()
                raise StepError(f"{self.name}: another run is at work in this folder")
            if self._is_in_place(file):
                return file
            file.close()  # a run that recorded nothing has just removed it


class Journal(Generic[T]):
    """The finished steps of a run by name, in the order of their lines.

    `header` is written with the first step. `parse` turns a record into a step, or raises
    ValueError, KeyError or TypeError; `key` is the field with the name of the step. Errors end in
    `advice`, those of a damaged record in `repair`.
    """

    def __init__(
        self,
        file: JournalFile,
        parse: Callable[[dict[str, Any]], T],
        header: Mapping[str, Any] | None = None,
        *,
        key: str = "part",
        advice: str = "start another run in another folder",
        repair: str = "",
    ) -> None:
        self.file, self.steps = file, dict[str, T]()
        self._parse, self._key, self._advice = parse, key, advice
        self._repair = repair or advice
        self._header = None if header is None else as_json({"dodona": VERSION, **header})
        data = file.read()
        *lines, torn = data.split(b"\n")
        is_new = self._header is not None and not lines
        if is_new and not _as_line(self._header or {}).startswith(torn):
            raise self._damage(1, "not the beginning of a journal")
        first = 1
        if self._header is not None and lines:
            self._check_header(lines[0])
            self._header, first = None, 2
        for number, line in enumerate(lines[first - 1 :], first):
            record = self._read(number, line)
            try:
                self.steps[str(record[key])] = parse(record)
            except (ValueError, KeyError, IndexError, TypeError) as error:
                raise self._damage(number, error) from error
        if torn:  # only now: a file that is not a journal is left as it is
            file.truncate(len(data) - len(torn))

    def add(self, name: str, record: Mapping[str, Any]) -> None:
        """Record a finished step."""
        written = {self._key: name, **record}
        lines = [written] if self._header is None else [self._header, written]
        self.file.append(b"".join(map(_as_line, lines)))
        self._header = None
        self.steps[name] = self._parse(as_json(written))

    def _read(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._damage(number, error) from error
        if not isinstance(found, dict):
            raise self._damage(number, "not a JSON object")
        return found

    def _damage(self, number: int, why: object) -> StepError:
        reason = f"{why} is missing" if isinstance(why, KeyError) else why
        where = f"{self.file.name}:{number}"
        is_header = number == 1 and self._header is not None
        advice = self._advice if is_header else self._repair
        what = "not the header of a run" if is_header else "not the record of a step"
        return StepError(f"{where}: {what}: {reason}; {advice}")

    def _check_header(self, line: bytes) -> None:
        if found := _difference(self._read(1, line), self._header):
            name, before, now = found
            problem = f"made with another {name}: {before!r:.80}, now {now!r:.80}"
            raise StepError(f"{self.file.name}: {problem}; {self._advice}")


def _difference(before: Any, now: Any, name: str = "") -> tuple[str, Any, Any] | None:
    """Return the first field that differs, and its two values."""
    if before == now:
        return None
    if not isinstance(before, dict) or not isinstance(now, dict):
        return name, before, now
    for key in {**before, **now}:
        inside = f"{name}.{key}" if name else key
        if found := _difference(before.get(key), now.get(key), inside):
            return found
    return name, before, now


def header_line(header: Mapping[str, Any]) -> bytes:
    """Return the first line of a journal with this header."""
    return _as_line(as_json({"dodona": VERSION, **header}))


def _as_line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def as_json(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as JSON restores it: tuples become lists."""
    found: dict[str, Any] = json.loads(json.dumps(record))
    return found
