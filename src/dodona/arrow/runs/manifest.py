"""The manifest of a run: a journal of its finished parts, with the fingerprints of their files."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

from pyarrow import fs

from dodona.arrow.locations import Location, find_files
from dodona.arrow.runs.leases import Lease, hold_lease
from dodona.arrow.sources import Fingerprint
from dodona.storage.json_fields import read_field
from dodona.storage.steps import Journal, JournalFile, StepError, header_line

MANIFEST = "_dodona.jsonl"  # Spark and Arrow ignore files with this prefix
SECONDS_BETWEEN = 30  # a remote file cannot be appended to: it is rewritten, but not too often
NAME = re.compile(r"_dodona(-\d{5,}-of-\d{5,})?\.jsonl")
OURS = b'{"dodona": '  # how a manifest begins
REPAIR = (
    "remove this line and continue with --resume, which parses its part again and compares the "
    "result with the file that is there"
)


@dataclass(frozen=True)
class PartCounts:
    """The reconciliation of a part: every document that was read was parsed, or is an error."""

    documents: int = 0  # read from the input
    parsed: int = 0  # found in the output, without an error
    errors: int = 0  # found in the output, with an error
    words: int = 0
    rows: int = 0

    def as_json(self) -> dict[str, int]:
        """Return the counts as JSON."""
        return asdict(self)

    def __add__(self, other: PartCounts) -> PartCounts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return PartCounts(*(one + more for one, more in pairs))

    @property
    def is_balanced(self) -> bool:
        """Return whether no document is missing."""
        return self.documents == self.parsed + self.errors


@dataclass(frozen=True)
class PartRecord:
    """A finished part: which inputs it has read, the fingerprints of all files, and the counts.

    `failures` are the first documents with an error, and why.
    """

    inputs: list[str]
    row_groups: list[int]
    files: list[Fingerprint]
    output: Fingerprint
    counts: PartCounts
    failures: list[tuple[str, str]]

    @classmethod
    def parse(cls, record: dict[str, Any]) -> PartRecord:
        """Read the record of a manifest, which people may have edited."""
        read_field(record, "part", str)
        inputs = read_field(record, "inputs", list[str])
        files = [*map(_fingerprint, read_field(record, "files", list[dict[str, Any]]))]
        if not inputs or len(inputs) != len(files):
            raise ValueError("'inputs' and 'files' differ in length, or are empty")
        row_groups = read_field(record, "row_groups", list[int])
        output = _fingerprint(read_field(record, "output", dict))
        counted = read_field(record, "counts", dict)
        counts = PartCounts(**{name: read_field(counted, name, int) for name in COUNTS})
        failures = [(doc, why) for doc, why in read_field(record, "failures", list[list[str]])]
        return cls(inputs, row_groups, files, output, counts, failures)

    def as_json(self) -> dict[str, Any]:
        """Return the record as JSON."""
        return asdict(self)


@dataclass(frozen=True)
class FailedPart:
    """A part that could not be read; a resumed run tries it again, last."""

    inputs: list[str]
    failed: str

    @classmethod
    def parse(cls, record: dict[str, Any]) -> FailedPart:
        """Read the record of a manifest."""
        return cls(read_field(record, "inputs", list[str]), read_field(record, "failed", str))

    def as_json(self) -> dict[str, Any]:
        """Return the record as JSON."""
        return asdict(self)


COUNTS = tuple(field.name for field in fields(PartCounts))


def parse_record(record: dict[str, Any]) -> PartRecord | FailedPart:
    """Read a line of a manifest."""
    return (FailedPart if "failed" in record else PartRecord).parse(record)


def _fingerprint(record: Mapping[str, Any]) -> Fingerprint:
    is_timed = record.get("mtime_ns") is not None
    mtime_ns = read_field(record, "mtime_ns", int) if is_timed else None
    return Fingerprint(read_field(record, "size", int), mtime_ns, read_field(record, "sha256", str))


class Manifest(Journal[PartRecord | FailedPart]):
    """The journal of a run."""

    @property
    def finished(self) -> dict[str, PartRecord]:
        """Return the finished parts by name."""
        return {n: record for n, record in self.steps.items() if isinstance(record, PartRecord)}

    @property
    def failed(self) -> dict[str, FailedPart]:
        """Return the parts that could not be read, by name."""
        return {n: record for n, record in self.steps.items() if isinstance(record, FailedPart)}


def manifest_name(label: str = "") -> str:
    """Return the name of the manifest of a shard, or of a whole run."""
    return f"{MANIFEST.removesuffix('.jsonl')}{label}.jsonl"


@contextmanager
def lock_manifest(folder: Location, label: str = "") -> Iterator[JournalFile]:
    """Open the file of a manifest; no other run uses it at the same time."""
    location = folder / manifest_name(label)
    if not location.is_local:
        with hold_lease(folder / f"_lease{label}.json") as lease:
            file = RemoteFile(location, lease)
            try:
                yield file
            finally:
                file.close()
        return
    path = Path(location.path)
    if path.is_symlink():
        raise ValueError(f"{location.name}: a link, not the manifest of a run")
    local = JournalFile(path, locked=True, name=location.name)
    try:
        yield local
    finally:
        local.close()


def check_header(file: JournalFile) -> None:
    """Raise StepError if there is a file that is not the manifest of a run."""
    data = file.read()
    if data and not (data.startswith(OURS) or OURS.startswith(data)):
        raise StepError(
            f"{file.name}:1: not the header of a run; move the file away, or choose another folder"
        )


def read_manifest(file: JournalFile, header: dict[str, Any], resume: bool) -> Manifest:
    """Read the manifest of a run with this header, which may be new.

    A run that has finished nothing does not stand in the way of another one.
    """
    data = file.read()
    if data.startswith(OURS) and not holds_finished(data) and not _has_header(data, header):
        file.truncate(0)
    manifest = Manifest(file, parse_record, header, repair=REPAIR)
    if manifest.finished and not resume:
        raise ValueError(
            f"{file.name}: a run with {len(manifest.finished):,} finished parts: continue it with "
            "--resume, or choose another folder"
        )
    return manifest


def finished_parts(folder: Location) -> dict[str, PartRecord]:
    """Return the finished parts of all shards in a folder; lines that cannot be read are skipped.

    Other shards may be at work.
    """
    found: dict[str, PartRecord] = {}
    for location in manifests_in(folder):
        with location.system.open_input_stream(location.path, compression=None) as stream:
            lines = bytes(stream.read()).split(b"\n")
        for line in lines[1:]:
            with suppress(ValueError, KeyError, IndexError, TypeError, RecursionError):
                record = json.loads(line)
                if isinstance(one := parse_record(record), PartRecord):
                    found[str(record["part"])] = one
    return found


def manifests_in(folder: Location) -> list[Location]:
    """Return the manifests of all shards in a folder."""
    return [folder / name for name in find_files(folder) if NAME.fullmatch(name)]


def holds_finished(data: bytes) -> bool:
    """Return whether a manifest lists finished parts, or lines that cannot be read."""
    *lines, _ = data.split(b"\n")
    return any(b'"failed": ' not in line for line in lines[1:])


def _has_header(data: bytes, header: dict[str, Any]) -> bool:
    first, is_whole, _ = data.partition(b"\n")
    return bool(is_whole) and first == header_line(header).rstrip(b"\n")


class RemoteFile(JournalFile):
    """A journal in a file system where files can only be written as a whole."""

    def __init__(self, location: Location, lease: Lease) -> None:
        super().__init__(Path(location.path), name=location.name)
        self.location, self.lease = location, lease
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
        self.lease.check_renewal()
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
