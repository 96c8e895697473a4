"""What a run has done: a line for how it runs, and one for every part that is complete.

A part is complete when its file has its name; only then is its line written. So a line that is
missing, or cut off where a process was killed, costs doing that part again, and nothing else.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

from pyarrow import fs

from dodona.arrow.parts import Input, Part, checksum
from dodona.arrow.places import Place

try:
    import fcntl
except ImportError:  # Windows, where two runs into one folder are not noticed
    fcntl = None  # type: ignore[assignment]

NAME = "_dodona.jsonl"  # Spark and Arrow pass it over
VERSION = 1
SECONDS_BETWEEN = 30  # elsewhere a file cannot be added to: it is written again, but not too often


@dataclass
class Manifest:
    """The file of a run, open; `close` it."""

    place: Place
    header: dict[str, Any]
    done: dict[str, dict[str, Any]] = field(default_factory=dict)
    _file: FileIO | None = None
    _written: float = 0.0
    _checksums: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def add(self, part: Part, output: dict[str, Any]) -> None:
        """A part is complete."""
        record = {
            "part": part.name,
            **part.describe(),
            "files": [*map(self._describe, part.inputs)],
            "output": output,
        }
        self.done[part.name] = record
        if self._file is not None:
            self._file.write(_line(record))
            _sync(self._file)
        elif time.monotonic() - self._written > SECONDS_BETWEEN:
            self._write_elsewhere()

    def _describe(self, given: Input) -> dict[str, Any]:
        """A file as it is now; one that is many parts is read once."""
        state = _state(given.place)
        key = (given.place.path, *state.values())
        if key not in self._checksums:
            self._checksums = {key: checksum(given)}
        return state | {"sha256": self._checksums[key]}

    def is_done(self, part: Part, output: Place) -> bool:
        """Whether a part need not be done again; an error if its input is not what it was."""
        record = self.done.get(part.name)
        if record is None:
            return False
        said = {key: record[key] for key in part.describe()}
        is_same = said == part.describe() and all(map(_is_same, part.inputs, record["files"]))
        if not is_same:
            raise ValueError(
                f"{part.inputs[0].place.name} has changed since the run began; "
                "start another one, into another folder"
            )
        info = output.system.get_file_info(output.path)
        return bool(info.type == fs.FileType.File and info.size == record["output"]["size"])

    def close(self) -> None:
        """Nothing more is added."""
        if self._file is not None:
            self._file.close()  # and with it the lock
        else:
            self._write_elsewhere()

    def _write_elsewhere(self) -> None:
        self.place.system.create_dir(self.place.path.rpartition("/")[0], recursive=True)
        with self.place.system.open_output_stream(self.place.path, compression=None) as stream:
            for record in (self.header, *self.done.values()):
                stream.write(_line(record))
        self._written = time.monotonic()


def open_manifest(folder: Place, header: dict[str, Any], resume: bool) -> Manifest:
    """The manifest of a new run, or of one that goes on and is the same in all that counts."""
    place = folder / NAME
    header = {"dodona": VERSION, **header}
    file = _lock(place) if place.is_local else None
    try:
        lines = _read(place)
        if lines and not resume:
            raise ValueError(
                f"{folder.name} has a run in it, {len(lines) - 1:,} parts are done: go on with "
                "--resume, or choose another folder"
            )
        if lines:
            _check(place, json.loads(lines[0]), header)
        found = Manifest(place, header, _file=file)
        for number, line in enumerate(lines[1:], start=2):
            found.done[_part_of(place, number, line)] = json.loads(line)
        if file is not None:
            file.truncate(sum(len(line) + 1 for line in lines))  # half a line goes
            file.seek(0, 2)
            if not lines:
                file.write(_line(header))
                _sync(file)
    except BaseException:
        if file is not None:
            file.close()
        raise
    return found


def _lock(place: Place) -> FileIO:
    path = Path(place.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    file = FileIO(path, "a+")
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise ValueError(f"{place.name}: another run is at work in this folder") from None
        except OSError:  # a file system without locks
            pass
    return file


def _read(place: Place) -> list[bytes]:
    """The lines that are complete."""
    if place.system.get_file_info(place.path).type != fs.FileType.File:
        return []
    with place.system.open_input_stream(place.path, compression=None) as stream:
        return bytes(stream.read()).split(b"\n")[:-1]


def _part_of(place: Place, number: int, line: bytes) -> str:
    try:
        record = json.loads(line)
        name, _, _ = record["part"], record["files"][0]["sha256"], record["output"]["size"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ValueError(
            f"{place.name}:{number}: not the line of a part: {error}; start another run, into "
            "another folder"
        ) from error
    return str(name)


def _check(place: Place, was: Any, header: dict[str, Any]) -> None:
    """Refuse to go on with another model or other settings: the files would not be of one kind."""
    for name, value in header.items():
        before = was.get(name) if isinstance(was, dict) else None
        if before != value:
            raise ValueError(
                f"{place.name}: the run began with another {name}: {before!r}, now {value!r}; "
                "start another one, into another folder"
            )


def _is_same(given: Input, record: dict[str, Any]) -> bool:
    """Whether a file is what it was; it is read only where its time says that it may not be."""
    now = _state(given.place)
    return all(now[key] == record[key] for key in now) or (
        now["size"] == record["size"] and checksum(given) == record["sha256"]
    )


def _state(place: Place) -> dict[str, Any]:
    info = place.system.get_file_info(place.path)
    return {"size": info.size, "mtime_ns": info.mtime_ns}


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _sync(file: FileIO) -> None:
    import os

    os.fsync(file.fileno())
