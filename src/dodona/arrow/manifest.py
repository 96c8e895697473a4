"""The manifest of a run over files: a journal of the parts that are complete."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from pyarrow import fs

from dodona.arrow.inputs import InputFile, InputPart, checksum
from dodona.arrow.locations import Location
from dodona.storage.steps import Journal, JournalFile, LocalFile

NAME = "_dodona.jsonl"  # Spark and Arrow ignore files with this prefix
SECONDS_BETWEEN = 30  # a remote file cannot be appended to: it is rewritten, but not too often

Manifest = Journal[dict[str, Any]]


@contextmanager
def open_manifest(folder: Location, header: dict[str, Any], resume: bool) -> Iterator[Manifest]:
    """Open the manifest of a new run, or of one that is resumed with an equal header."""
    location = folder / NAME
    file: JournalFile = RemoteFile(location)
    if location.is_local:
        file = LocalFile(Path(location.path), locked=True, name=location.name)
    try:
        manifest = Journal(file, _check_record, header)
        if manifest.steps and not resume:
            raise ValueError(
                f"{folder.name} holds a run with {len(manifest.steps):,} finished parts: continue "
                "it with --resume, or choose another folder"
            )
        yield manifest
    finally:
        file.close()


def record_of(part: InputPart, output: Location) -> dict[str, Any]:
    """Return the record of a finished part: its inputs with their digests, and its output."""
    size = output.system.get_file_info(output.path).size
    files = [*map(_describe, part.inputs)]
    return {**part.describe(), "files": files, "output": {"size": size}}


def is_done(manifest: Manifest, part: InputPart, output: Location) -> bool:
    """Return whether a part is complete; raise an error if its input has changed."""
    record = manifest.steps.get(part.name)
    if record is None:
        return False
    recorded = {key: record[key] for key in part.describe()}
    is_same = recorded == part.describe() and all(map(_is_same, part.inputs, record["files"]))
    if not is_same:
        raise ValueError(
            f"{part.inputs[0].location.name} has changed since the run began; start another run "
            "in another folder"
        )
    info = output.system.get_file_info(output.path)
    return bool(info.type == fs.FileType.File and info.size == record["output"]["size"])


def _check_record(record: dict[str, Any]) -> dict[str, Any]:
    _ = record["files"][0]["sha256"], record["output"]["size"]
    return record


class RemoteFile:
    """A journal in a file system where files can only be written as a whole."""

    def __init__(self, location: Location) -> None:
        self.location, self.name = location, location.name
        self._data, self._is_written, self._time = b"", True, 0.0

    def read(self) -> bytes:
        system, path = self.location.system, self.location.path
        if system.get_file_info(path).type == fs.FileType.File:
            with system.open_input_stream(path, compression=None) as stream:
                self._data = bytes(stream.read())
        return self._data

    def truncate(self, size: int) -> None:
        self._data = self._data[:size]

    def append(self, data: bytes) -> None:
        self._data, self._is_written = self._data + data, False
        if time.monotonic() - self._time > SECONDS_BETWEEN:
            self._write()

    def close(self) -> None:
        if not self._is_written:
            self._write()

    def _write(self) -> None:
        system, path = self.location.system, self.location.path
        system.create_dir(path.rpartition("/")[0], recursive=True)
        with system.open_output_stream(path, compression=None) as stream:
            stream.write(self._data)
        self._is_written, self._time = True, time.monotonic()


def _describe(given: InputFile) -> dict[str, Any]:
    state = _state(given.location)
    return state | {"sha256": _checksum(given, *state.values())}


@lru_cache(maxsize=1)  # a large file is the input of many parts, one after the other
def _checksum(given: InputFile, size: int, mtime_ns: int) -> str:
    return checksum(given)


def _is_same(given: InputFile, record: dict[str, Any]) -> bool:
    """Return whether a file is unchanged; it is read only if its time differs."""
    now = _state(given.location)
    return all(now[key] == record[key] for key in now) or (
        now["size"] == record["size"] and checksum(given) == record["sha256"]
    )


def _state(location: Location) -> dict[str, Any]:
    info = location.system.get_file_info(location.path)
    return {"size": info.size, "mtime_ns": info.mtime_ns}
