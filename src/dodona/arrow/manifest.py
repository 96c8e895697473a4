"""The manifest of a run: a journal of its finished parts, with the fingerprints of their files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyarrow import fs

from dodona.arrow.locations import Location
from dodona.arrow.sources import Fingerprint
from dodona.storage.json_fields import read_field
from dodona.storage.steps import Journal, JournalFile

MANIFEST = "_dodona.jsonl"  # Spark and Arrow ignore files with this prefix
SECONDS_BETWEEN = 30  # a remote file cannot be appended to: it is rewritten, but not too often
REPAIR = (
    "remove this line and continue with --resume, which parses its part again and compares the "
    "result with the file that is there"
)


@dataclass(frozen=True)
class PartRecord:
    """A finished part: which inputs it has read, and the fingerprints of all files."""

    inputs: list[str]
    row_groups: list[int]
    files: list[Fingerprint]
    output: Fingerprint

    @classmethod
    def parse(cls, record: dict[str, Any]) -> PartRecord:
        """Read the record of a manifest, which people may have edited."""
        read_field(record, "part", str)
        inputs = read_field(record, "inputs", list[str])
        files = [*map(_fingerprint, read_field(record, "files", list[dict[str, Any]]))]
        if not inputs or len(inputs) != len(files):
            raise ValueError("'inputs' and 'files' differ in length, or are empty")
        row_groups = read_field(record, "row_groups", list[int])
        return cls(inputs, row_groups, files, _fingerprint(read_field(record, "output", dict)))

    def as_json(self) -> dict[str, Any]:
        """Return the record as JSON."""
        return asdict(self)


def _fingerprint(record: Mapping[str, Any]) -> Fingerprint:
    is_timed = record.get("mtime_ns") is not None
    mtime_ns = read_field(record, "mtime_ns", int) if is_timed else None
    return Fingerprint(read_field(record, "size", int), mtime_ns, read_field(record, "sha256", str))


Manifest = Journal[PartRecord]


@contextmanager
def open_manifest(folder: Location, header: dict[str, Any], resume: bool) -> Iterator[Manifest]:
    """Open the manifest of a new run, or of one that is resumed with an equal header."""
    location = folder / MANIFEST
    file: JournalFile = RemoteFile(location)
    if location.is_local:
        path = Path(location.path)
        if path.is_symlink():
            raise ValueError(f"{location.name}: a link, not the manifest of a run")
        file = JournalFile(path, locked=True, name=location.name)
    try:
        manifest: Manifest = Journal(file, PartRecord.parse, header, repair=REPAIR)
        if manifest.steps and not resume:
            raise ValueError(
                f"{folder.name} holds a run with {len(manifest.steps):,} finished parts: continue "
                "it with --resume, or choose another folder"
            )
        yield manifest
    finally:
        file.close()


class RemoteFile(JournalFile):
    """A journal in a file system where files can only be written as a whole."""

    def __init__(self, location: Location) -> None:
        super().__init__(Path(location.path), name=location.name)
        self.location = location
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
