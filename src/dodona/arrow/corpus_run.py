"""Resumable runs over many files: each part is written completely or not at all.

The manifest of a run is the journal of its complete parts.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pyarrow import fs

from dodona.arrow.batch_parser import BatchParser
from dodona.arrow.inputs import FILE, PARQUET, TEXT, CorpusFile, InputPart, checksum, find_parts
from dodona.arrow.locations import Location, resolve_location
from dodona.arrow.model_cache import model_bytes
from dodona.arrow.options import ParseOptions
from dodona.arrow.outputs import RowWriter, open_output, suffix_for
from dodona.storage.steps import Journal, JournalFile

MANIFEST = "_dodona.jsonl"  # Spark and Arrow ignore files with this prefix
SECONDS_BETWEEN = 30  # a remote file cannot be appended to: it is rewritten, but not too often
FREE = ("threads", "mapped", "model")  # options that may change on resume: the rows do not


@dataclass
class RunProgress:
    """The progress of a run. Bytes are those of the stored texts."""

    n_bytes_total: int
    n_bytes: float = 0
    n_bytes_before: float = 0  # of parts that were complete when the run started
    n_parts: int = 0
    n_documents: int = 0
    n_words: int = 0
    n_errors: int = 0


Report = Callable[[RunProgress], None]
Manifest = Journal[dict[str, Any]]


def parse_files(
    names: Iterable[str],
    out: str,
    options: ParseOptions,
    *,
    format: str = "parquet",
    resume: bool = False,
    report: Report = lambda progress: None,
) -> RunProgress:
    """Parse all inputs into the folder `out`; `report` is called after each written batch."""
    folder, suffix = resolve_location(out), suffix_for(format)
    parts = [
        (part, _options_for(part, options), folder / f"{part.name}{suffix}")
        for part in find_parts(names, options)
    ]
    progress = RunProgress(sum(part.n_bytes for part, _, _ in parts))
    with _open_manifest(folder, _header(options, format), resume) as manifest:
        if not manifest.steps and not resume:
            for _, _, output in parts:
                if output.system.get_file_info(output.path).type != fs.FileType.NotFound:
                    raise ValueError(f"{output.name} exists already; choose another folder")
        for part, its_options, output in parts:
            before = progress.n_bytes
            if _is_done(manifest, part, output):
                progress.n_bytes_before += part.n_bytes
            else:
                _parse_part(part, its_options, output, format, progress, report)
                manifest.add(part.name, _record_of(part, output))
            progress.n_bytes, progress.n_parts = before + part.n_bytes, progress.n_parts + 1
            report(progress)
    return progress


def _parse_part(
    part: InputPart,
    options: ParseOptions,
    output: Location,
    format: str,
    progress: RunProgress,
    report: Report,
) -> None:
    parser = BatchParser(options)
    with ExitStack() as stack:
        writer: RowWriter | None = None
        end = progress.n_bytes + part.n_bytes
        for parsed in parser.parse_chunks(part.read(options)):
            if writer is None:
                writer = stack.enter_context(open_output(output, format, parsed.batch.schema))
            writer.write(parsed.batch)
            progress.n_documents += parsed.n_documents
            progress.n_words += parsed.n_words
            progress.n_errors += parsed.n_errors
            progress.n_bytes = min(progress.n_bytes + parsed.n_chars, end)
            report(progress)
        if writer is None:
            schema = parser.schema(part.schema(options))
            stack.enter_context(open_output(output, format, schema))


def _options_for(part: InputPart, options: ParseOptions) -> ParseOptions:
    """Return the options of one part: plain texts have one column to keep, the file name."""
    first = part.inputs[0]
    if options.tokens and first.suffix != PARQUET:
        raise ValueError(f"{first.location.name}: tokens are read from Parquet only")
    if first.suffix != TEXT:
        return options
    kept = options.keep or ((FILE, FILE),)
    if {old for old, _ in kept} != {FILE}:
        name = first.location.name
        raise ValueError(f"{name}: a plain text has one column to keep, {FILE!r} (its name)")
    return replace(options, keep=kept)


def _header(options: ParseOptions, format: str) -> dict[str, Any]:
    """Return the header of the manifest: what must be equal on resume."""
    settings = {name: value for name, value in asdict(options).items() if name not in FREE}
    return {
        "version": version("dodona"),
        "model": hashlib.sha256(model_bytes(options.model)).hexdigest(),
        "settings": settings | {"output": format},
    }


@contextmanager
def _open_manifest(folder: Location, header: dict[str, Any], resume: bool) -> Iterator[Manifest]:
    """Open the manifest of a new run, or of one that is resumed with an equal header."""
    location = folder / MANIFEST
    file: JournalFile = RemoteFile(location)
    if location.is_local:
        file = JournalFile(Path(location.path), locked=True, name=location.name)
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


def _record_of(part: InputPart, output: Location) -> dict[str, Any]:
    """Return the record of a finished part: its inputs with their digests, and its output."""
    size = output.system.get_file_info(output.path).size
    files = [(now := _state(one)) | {"sha256": _checksum(one, **now)} for one in part.inputs]
    return {**part.describe(), "files": files, "output": {"size": size}}


def _is_done(manifest: Manifest, part: InputPart, output: Location) -> bool:
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


@lru_cache(maxsize=1)  # a large file is the input of many parts, one after the other
def _checksum(given: CorpusFile, size: int, mtime_ns: int) -> str:
    return checksum(given)


def _is_same(given: CorpusFile, record: dict[str, Any]) -> bool:
    """Return whether a file is unchanged; it is read only if its time differs."""
    now = _state(given)
    return all(now[key] == record[key] for key in now) or (
        now["size"] == record["size"] and checksum(given) == record["sha256"]
    )


def _state(given: CorpusFile) -> dict[str, Any]:
    info = given.location.system.get_file_info(given.location.path)
    return {"size": info.size, "mtime_ns": info.mtime_ns}
