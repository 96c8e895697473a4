"""Parts of a run: each is read from one or more input files and becomes one output file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pyarrow as pa
from pyarrow import ipc, parquet

from dodona.arrow import line_records
from dodona.arrow.documents import Chunk, split_into_chunks
from dodona.arrow.kept_columns import chunk_records, fit_chunks
from dodona.arrow.line_records import COMPRESSED, decompressed, path_values
from dodona.arrow.locations import FoundFile
from dodona.arrow.options import ParseOptions
from dodona.arrow.sources import FileState, Fingerprint, Source
from dodona.errors import DodonaError

BATCH_BYTES = 4 << 20  # of text, read at a time
PARQUET, ARROW, TEXT, JSON_LINES = ".parquet", ".arrow", ".txt", (".jsonl", ".ndjson")
AGAIN = "run the command again with --resume"
UNREADABLE = (ValueError, OSError, EOFError, pa.ArrowException)


class InputError(DodonaError, ValueError):
    """An input file that cannot be read: the fault of the file, not of the run."""


@dataclass(frozen=True)
class PlannedVersion:
    """The version of a Parquet file whose row groups were counted for the plan."""

    state: FileState
    sha256: str | None  # of a file that is too young for its state to prove anything


@dataclass(frozen=True)
class InputPart:
    """The inputs of one output file."""

    name: str  # path in the output folder, without a suffix
    inputs: tuple[FoundFile, ...]
    n_bytes: int  # an estimate, for the progress
    row_groups: tuple[int, ...] = ()  # of a Parquet file
    first_row: int = 1  # of the first row group
    version: PlannedVersion | None = field(default=None, compare=False)

    @property
    def suffix(self) -> str:
        """Return the type of the inputs, by their names."""
        return suffix_of(self.inputs[0].below)

    def read(
        self, options: ParseOptions, kept: pa.Schema, found: list[Fingerprint]
    ) -> Iterator[Chunk]:
        """Read the documents, with kept columns of these types; raise InputError for a bad file.

        `found` receives the fingerprint of each file when it is read.
        """
        try:
            yield from self._read(options, kept, found)
        except UNREADABLE as error:
            name = self.inputs[0].location.name
            why = str(error)
            raise InputError(why if name in why else f"{name}: {why}") from error

    def _read(
        self, options: ParseOptions, kept: pa.Schema, found: list[Fingerprint]
    ) -> Iterator[Chunk]:
        below = self.inputs[0].below
        if self.suffix in (PARQUET, ARROW):
            read = self._read_row_groups if self.suffix == PARQUET else self._read_arrow
            batches = (add_constants(batch, options, below) for batch in read(options, found))
            chunks = split_into_chunks(options, batches)
            return fit_chunks(chunks, below, self.first_row, options, kept)
        if self.suffix == TEXT:
            records = line_records.read_texts(self.inputs, options, found)
        else:
            records = self._read_lines(options, found)
        return chunk_records(records, below, options, kept)

    def _read_lines(
        self, options: ParseOptions, found: list[Fingerprint]
    ) -> Iterator[line_records.Record]:
        [given] = self.inputs
        with decompressed(given.location, found, path_values(given.below)) as file:
            yield from LINES[self.suffix](file, options)

    def _read_row_groups(
        self, options: ParseOptions, found: list[Fingerprint]
    ) -> Iterator[pa.RecordBatch]:
        [given] = self.inputs
        with open_parquet(given) as (source, file):
            sha256 = source.checksum()
            planned = self.version
            if planned is not None and (
                source.state != planned.state or planned.sha256 not in (None, sha256)
            ):
                raise ValueError(f"{given.location.name} has changed since the run began; {AGAIN}")
            metadata = [file.metadata.row_group(i) for i in self.row_groups]
            n_rows = sum(group.num_rows for group in metadata)
            size = sum(text_size(group, options) for group in metadata)
            n_rows_at_once = max(1, min(4096, BATCH_BYTES * n_rows // max(size, 1)))
            columns = [name for name in options.columns if name in file.schema_arrow.names]
            try:
                yield from file.iter_batches(
                    n_rows_at_once, row_groups=[*self.row_groups], columns=columns
                )
            except (pa.ArrowInvalid, OSError) as error:
                where = given.location.name
                raise ValueError(f"{where}: damaged or unreadable: {error}") from error
            found.append(source.fingerprint(sha256))

    def _read_arrow(
        self, options: ParseOptions, found: list[Fingerprint]
    ) -> Iterator[pa.RecordBatch]:
        [given] = self.inputs
        with open_arrow(given) as (source, reader):
            sha256 = source.checksum()
            for batch in record_batches(reader):
                yield batch.select([n for n in options.columns if n in batch.schema.names])
            found.append(source.fingerprint(sha256))


def add_constants(batch: pa.RecordBatch, options: ParseOptions, below: str) -> pa.RecordBatch:
    """Add the kept columns that the path of a file holds, where the file itself lacks them."""
    columns = {name: batch.column(name) for name in batch.schema.names}
    for name, value in path_values(below).items():
        if name in options.columns and name not in columns:
            columns[name] = pa.array([value] * len(batch), pa.string())
    return pa.record_batch(columns) if len(columns) > batch.num_columns else batch


def suffix_of(name: str) -> str:
    """Return the suffix of a file, without the suffix of a compression.

    >>> suffix_of("a.b.jsonl.gz"), suffix_of("README"), suffix_of("part-0.zstd.parquet")
    ('.jsonl', '', '.parquet')
    """
    _, dot, last = strip_compression(name).rpartition("/")[2].rpartition(".")
    return f"{dot}{last}".lower() if dot else ""


def strip_compression(name: str) -> str:
    """Return a file name without the suffix of a compression."""
    for compressed in COMPRESSED:
        name = name.removesuffix(compressed)
    return name


@contextmanager
def open_parquet(given: FoundFile) -> Iterator[tuple[Source, parquet.ParquetFile]]:
    """Open a Parquet file with a small buffer, so that no column is read as a whole."""
    with Source(given.location, seekable=True) as source:
        try:
            stream = _arrow_stream(source)
            file = parquet.ParquetFile(stream, buffer_size=1 << 20, pre_buffer=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ValueError(f"{given.location.name}: not Parquet, or damaged: {error}") from error
        yield source, file


@contextmanager
def open_arrow(given: FoundFile) -> Iterator[tuple[Source, Any]]:
    """Open an Arrow IPC file or stream."""
    with Source(given.location, seekable=True) as source:
        stream = _arrow_stream(source)
        is_file = stream.read(len(ARROW_MAGIC)) == ARROW_MAGIC
        stream.seek(0)
        try:
            yield source, ipc.open_file(stream) if is_file else ipc.open_stream(stream)
        except pa.ArrowInvalid as error:
            raise ValueError(f"{given.location.name}: not Arrow, or damaged: {error}") from error


def record_batches(reader: Any) -> Iterator[pa.RecordBatch]:
    """Yield the batches of an Arrow file or stream."""
    if isinstance(reader, ipc.RecordBatchFileReader):
        return map(reader.get_batch, range(reader.num_record_batches))
    return iter(reader)


def _arrow_stream(source: Source) -> Any:
    return pa.PythonFile(source.file, "r") if source.location.is_local else source.file


def text_size(row_group: Any, options: ParseOptions) -> int:
    """Return the bytes of texts in a row group."""
    columns = map(row_group.column, range(row_group.num_columns))
    texts = (one for one in columns if one.path_in_schema.split(".")[0] == options.source)
    return sum(column.total_uncompressed_size for column in texts)


ARROW_MAGIC = b"ARROW1"
LINES: dict[str, Any] = {
    **dict.fromkeys(JSON_LINES, line_records.read_json_lines),
    ".csv": line_records.read_csv,
    ".tsv": line_records.read_tsv,
}
TABLES = (PARQUET, ARROW, *LINES)


def all_inputs(parts: Iterable[InputPart]) -> Iterator[FoundFile]:
    """Yield the input files of all parts."""
    return chain.from_iterable(part.inputs for part in parts)
