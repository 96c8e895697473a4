"""The check of a run: what its manifests record against the files that are there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from dodona.arrow.locations import Location, find_files, resolve_location
from dodona.arrow.runs.manifest import (
    MANIFEST,
    NAME,
    FailedPart,
    PartCounts,
    PartRecord,
    manifests_in,
    parse_record,
)
from dodona.arrow.runs.planning import Shard
from dodona.arrow.runs.reports import PLAN
from dodona.arrow.sources import checksum, state_of

READERS = 8  # threads: SHA-256 releases the interpreter's lock


@dataclass
class RunCheck:
    """The sums of a run, and everything that is wrong with it."""

    counts: PartCounts = field(default_factory=PartCounts)
    n_files: int = 0
    faults: list[str] = field(default_factory=list)


class _Recorded(NamedTuple):
    """A finished part: its file, its record, and the manifest that lists it."""

    file: Location
    record: PartRecord
    manifest: str


def check_run(out: str, *, quick: bool = False) -> RunCheck:
    """Check a finished or interrupted run; with `quick`, no checksums are computed."""
    folder, found = resolve_location(out), RunCheck()
    manifests = manifests_in(folder)
    plans = _read_plans(folder)
    if len(plans) > 1 and not any(location.file_name == MANIFEST for location in manifests):
        plans.pop("", None)  # a plan for the schema, whose work the shards have done
    if not manifests and not plans:
        raise ValueError(f"{out}: no run of dodona parse: there is no manifest")
    parts = [part for location in manifests for part in _read(location, folder, plans, found)]
    found.counts = sum((part.record.counts for part in parts), PartCounts())
    found.n_files = len(parts)
    found.faults += _missing_shards({*plans})
    found.faults += _holes(folder, plans, parts)
    found.faults += _duplicates(parts)
    with ThreadPoolExecutor(READERS) as pool:
        for faults in pool.map(lambda part: [*_check_file(part, quick)], parts):
            found.faults += faults
    found.faults += _differing_schemas(parts)
    found.faults += _strays(folder, parts)
    return found


def _read_plans(folder: Location) -> dict[str, list[str]]:
    """Return the files that each shard is to make, by the label of the shard."""
    plans: dict[str, list[str]] = {}
    for name in find_files(folder):
        if (is_plan := PLAN.fullmatch(name)) is not None:
            location = folder / name
            with location.system.open_input_stream(location.path, compression=None) as stream:
                plans[is_plan[1] or ""] = json.loads(bytes(stream.read()))["files"]
    return plans


def _read(
    location: Location, folder: Location, plans: dict[str, list[str]], found: RunCheck
) -> Iterator[_Recorded]:
    """Yield the finished parts of a manifest; what else it says is a fault."""
    with location.system.open_input_stream(location.path, compression=None) as stream:
        header, *lines = bytes(stream.read()).splitlines() or [b"{}"]
    try:
        suffix = {"json": ".jsonl"}.get(json.loads(header)["settings"]["output"], ".parquet")
    except (ValueError, KeyError, TypeError):
        found.faults.append(f"{location.name}:1: not the header of a run")
        return
    records: dict[str, PartRecord | FailedPart] = {}
    for number, line in enumerate(lines, start=2):
        try:
            record = json.loads(line)
            records[str(record["part"])] = parse_record(record)
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            found.faults.append(f"{location.name}:{number}: not the record of a part")
    is_label = NAME.fullmatch(location.file_name)
    label = (is_label[1] if is_label else None) or ""
    for part, one in records.items():
        if isinstance(one, PartRecord):
            yield _Recorded(folder / f"{part}{suffix}", one, location.name)
        elif f"{part}{suffix}" in plans.get(label, ()):
            found.faults.append(f"{part}{suffix}: missing: {one.failed}")
            plans[label].remove(f"{part}{suffix}")


def _missing_shards(labels: set[str]) -> Iterator[str]:
    numbers = {int(label.rpartition("-")[2]) for label in labels if label}
    for n in sorted(numbers):
        for i in range(n):
            if Shard(i, n).label not in labels:
                yield f"shard {i}/{n} has not begun"


def _holes(
    folder: Location, plans: dict[str, list[str]], parts: Iterable[_Recorded]
) -> Iterator[str]:
    there = {part.file.path for part in parts}
    written = {*find_files(folder, recursive=True)}  # without a record: see `_strays`
    for files in plans.values():
        for name in files:
            if (folder / name).path not in there and name not in written:
                yield f"{name}: missing: not parsed yet"


def _duplicates(parts: Iterable[_Recorded]) -> Iterator[str]:
    """Yield the inputs that two files hold."""
    owners: dict[tuple[str, int], Location] = {}
    for part in parts:
        groups = part.record.row_groups or [-1]
        for key in ((below, group) for below in part.record.inputs for group in groups):
            other = owners.setdefault(key, part.file)
            if other.path != part.file.path:
                yield f"{part.file.name}: holds rows of {key[0]} that {other.name} holds, too"


def _check_file(part: _Recorded, quick: bool) -> Iterator[str]:
    name, record = part.file.name, part.record
    state = state_of(part.file)
    if not record.counts.is_balanced:
        yield f"{name}: documents are missing: {record.counts}"
    if state is None:
        yield f"{name}: missing, though {part.manifest} lists it"
    elif state.size != record.output.size:
        yield f"{name}: {state.size:,} bytes, not {record.output.size:,} as it was written"
    elif not quick and checksum(part.file) != record.output.sha256:
        yield f"{name}: damaged: its checksum is not that of {part.manifest}"
    elif name.endswith(".parquet"):
        yield from _check_footer(part)


def _check_footer(part: _Recorded) -> Iterator[str]:
    try:
        metadata = _metadata(part.file)
    except (pa.ArrowException, OSError) as error:
        yield f"{part.file.name}: not Parquet, or damaged: {error}"
        return
    counts = part.record.counts
    if metadata.num_rows != counts.rows:
        yield f"{part.file.name}: {metadata.num_rows:,} rows, not {counts.rows:,}"
    about: dict[bytes, bytes] = metadata.metadata or {}
    for field_name, number in counts.as_json().items():
        written = about.get(f"dodona.{field_name}".encode())
        if written not in (None, str(number).encode()):
            yield f"{part.file.name}: its footer has {written!r} {field_name}, not {number}"


def _metadata(file: Location) -> Any:
    with file.system.open_input_file(file.path) as stream:
        return parquet.ParquetFile(stream).metadata


def _differing_schemas(parts: list[_Recorded]) -> Iterator[str]:
    """Yield the files whose columns differ from those of the first one."""
    first: tuple[str, pa.Schema] | None = None
    for part in parts:
        if not part.file.name.endswith(".parquet"):
            continue
        try:
            schema = _metadata(part.file).schema.to_arrow_schema()
        except (pa.ArrowException, OSError):
            continue  # a fault that is reported elsewhere
        first = first or (part.file.name, schema)
        if not schema.equals(first[1]):
            yield f"{part.file.name}: its columns differ from those of {first[0]}"


def _strays(folder: Location, parts: Iterable[_Recorded]) -> Iterator[str]:
    known = {part.file.path for part in parts}
    for name in find_files(folder, recursive=True):
        is_hidden = any(piece.startswith((".", "_")) for piece in name.split("/"))
        if not is_hidden and (folder / name).path not in known:
            yield f"{name}: no manifest lists it: a file of another run, or of a killed one"
