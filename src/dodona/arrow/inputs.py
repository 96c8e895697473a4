"""Parts of a run: each is read from one or more input files and becomes one output file.

A large Parquet file is split into parts of some row groups each, so that a killed run repeats
little. Small plain texts are joined into one part; a run that is resumed joins them as it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import parquet

from dodona.arrow import line_records
from dodona.arrow.documents import Chunk, check_type, split_into_chunks
from dodona.arrow.kept_columns import chunk_records
from dodona.arrow.line_records import COMPRESSED, check_columns, decompressed
from dodona.arrow.locations import FoundFile, Listing
from dodona.arrow.manifest import PartRecord
from dodona.arrow.options import ParseOptions
from dodona.arrow.sources import FileState, Fingerprint, Source

PART_BYTES = 64 << 20  # of text: about 12 million words, some minutes of parsing
BATCH_BYTES = 4 << 20  # of text, read at a time
PARQUET, TEXT, JSON_LINES = ".parquet", ".txt", (".jsonl", ".ndjson")
AGAIN = "run the command again with --resume"
JOINED = re.compile(r"texts-(\d{5,})")  # the names of parts of plain texts

T = TypeVar("T")


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
    version: PlannedVersion | None = field(default=None, compare=False)

    @property
    def suffix(self) -> str:
        """Return the type of the inputs, by their names."""
        return suffix_of(self.inputs[0].below)

    def read(self, options: ParseOptions, found: list[Fingerprint]) -> Iterator[Chunk]:
        """Read the documents; `found` receives the fingerprint of each file when it is read."""
        if self.suffix == PARQUET:
            return split_into_chunks(options, self._read_row_groups(options, found))
        if self.suffix == TEXT:
            records = line_records.read_texts(self.inputs, options, found)
        else:
            records = self._read_lines(options, found)
        return chunk_records(records, options)

    def schema(self, options: ParseOptions) -> pa.Schema:
        """Return the schema of the input; only that of Parquet has other types than text."""
        if self.suffix != PARQUET:
            return pa.schema(dict.fromkeys(options.columns, pa.string()))
        with _open_parquet(self.inputs[0]) as (_, file):
            return file.schema_arrow

    def _read_lines(
        self, options: ParseOptions, found: list[Fingerprint]
    ) -> Iterator[line_records.Record]:
        with decompressed(self.inputs[0].location, found) as file:
            yield from LINES[self.suffix](file, options)

    def _read_row_groups(
        self, options: ParseOptions, found: list[Fingerprint]
    ) -> Iterator[pa.RecordBatch]:
        [given] = self.inputs
        with _open_parquet(given) as (source, file):
            sha256 = source.checksum()
            planned = self.version
            if planned is not None and (
                source.state != planned.state or planned.sha256 not in (None, sha256)
            ):
                raise ValueError(f"{given.location.name} has changed since the run began; {AGAIN}")
            metadata = [file.metadata.row_group(i) for i in self.row_groups]
            n_rows = sum(group.num_rows for group in metadata)
            size = sum(_text_size(group, options) for group in metadata)
            n_rows_at_once = max(1, min(4096, BATCH_BYTES * n_rows // max(size, 1)))
            try:
                yield from file.iter_batches(
                    n_rows_at_once, row_groups=[*self.row_groups], columns=options.columns
                )
            except (pa.ArrowInvalid, OSError) as error:
                where = given.location.name
                raise ValueError(f"{where}: damaged or unreadable: {error}") from error
            found.append(source.fingerprint(sha256))


def suffix_of(name: str) -> str:
    """Return the suffix of a file, without the suffix of a compression.

    >>> suffix_of("a.b.jsonl.gz"), suffix_of("README"), suffix_of("part-0.zstd.parquet")
    ('.jsonl', '', '.parquet')
    """
    _, dot, last = _decompressed(name).rpartition("/")[2].rpartition(".")
    return f"{dot}{last}".lower() if dot else ""


def find_parts(
    listings: Iterable[Listing], options: ParseOptions, recorded: Mapping[str, PartRecord]
) -> list[InputPart]:
    """Return the parts of all inputs.

    `recorded` are the parts of the manifest. Missing columns are errors before anything is parsed.
    """
    parts: list[InputPart] = []
    for listing in listings:
        known = [given for given in listing.files if suffix_of(given.below) in (*TABLES, TEXT)]
        if not known:
            kinds = ", ".join((*TABLES, TEXT))
            raise ValueError(f"{listing.name}: expected files of {kinds} (tables with .gz, .zst)")
        tables = [given for given in known if suffix_of(given.below) != TEXT]
        parts += (part for given in tables for part in _split(given, options))
        parts += _join((given for given in known if suffix_of(given.below) == TEXT), recorded)
    owners: dict[str, InputPart] = {}
    for part in parts:
        if other := owners.get(part.name):
            one, two = other.inputs[0].location.name, part.inputs[0].location.name
            raise ValueError(f"{one} and {two} would become one file; give their common folder")
        owners[part.name] = part
    lines = (part.inputs[0].location for part in parts if part.suffix in JSON_LINES)
    if not options.tokens:
        line_records.check_json_lines(lines, options)
    return parts


def _split(given: FoundFile, options: ParseOptions) -> Iterator[InputPart]:
    """Yield the parts of a table: one, or several groups of Parquet row groups."""
    name, suffix = _decompressed(given.below), suffix_of(given.below)
    name = name[: -len(suffix)]
    if suffix != PARQUET:
        if suffix in HEADERS and not options.tokens:
            with decompressed(given.location) as lines:
                HEADERS[suffix](lines, options)
        yield InputPart(name, (given,), given.size)
        return
    with _open_parquet(given) as (source, file):
        row_groups = map(file.metadata.row_group, range(file.num_row_groups))
        sizes = [_text_size(row_group, options) for row_group in row_groups]
        check_columns(given.location.name, file.schema_arrow.names, options)
        try:
            check_type(options, file.schema_arrow.field(options.source).type)
        except TypeError as error:
            raise ValueError(f"{given.location.name}: {error}") from error
        version = PlannedVersion(source.state, source.checksum() if source.is_young else None)
    groups = _grouped(range(len(sizes)), sizes) or [[]]
    for number, group in enumerate(groups):
        called = name if len(groups) == 1 else f"{name}-{number:05}"
        yield InputPart(called, (given,), sum(sizes[k] for k in group), tuple(group), version)


def _join(texts: Iterable[FoundFile], recorded: Mapping[str, PartRecord]) -> Iterator[InputPart]:
    """Yield parts of many plain texts each: first those of the manifest, then the new ones."""
    left = {text.below: text for text in texts}
    numbers = [-1]
    for name, record in recorded.items():
        if (joined := JOINED.fullmatch(name)) is None:
            continue
        numbers.append(int(joined[1]))
        there = [below for below in record.inputs if below in left]
        if gone := [below for below in record.inputs if there and below not in left]:
            raise ValueError(
                f"{gone[0]} is missing, which this run parsed together with {there[0]}; restore "
                "it, or start another run in another folder"
            )
        if there:
            yield _joined(name, [left.pop(below) for below in there])
    new = [*left.values()]
    groups = _grouped(new, [text.size for text in new])
    for number, group in enumerate(groups, start=max(numbers) + 1):
        yield _joined(f"texts-{number:05}", group)


def _joined(name: str, texts: list[FoundFile]) -> InputPart:
    return InputPart(name, tuple(texts), sum(text.size for text in texts))


def _grouped(items: Iterable[T], sizes: list[int]) -> list[list[T]]:
    """Group neighbours up to the size of a part."""
    groups: list[list[T]] = []
    n_bytes = 0
    for item, size in zip(items, sizes, strict=True):
        if not groups or n_bytes + size > PART_BYTES:
            groups.append([])
            n_bytes = 0
        groups[-1].append(item)
        n_bytes += size
    return groups


def _decompressed(name: str) -> str:
    """Return a file name without the suffix of a compression."""
    for compressed in COMPRESSED:
        name = name.removesuffix(compressed)
    return name


@contextmanager
def _open_parquet(given: FoundFile) -> Iterator[tuple[Source, parquet.ParquetFile]]:
    """Open a Parquet file with a small buffer, so that no column is read as a whole."""
    with Source(given.location, seekable=True) as source:
        try:
            stream = pa.PythonFile(source.file, "r") if given.location.is_local else source.file
            file = parquet.ParquetFile(stream, buffer_size=1 << 20, pre_buffer=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ValueError(f"{given.location.name}: not Parquet, or damaged: {error}") from error
        yield source, file


def _text_size(row_group: Any, options: ParseOptions) -> int:
    columns = map(row_group.column, range(row_group.num_columns))
    texts = (one for one in columns if one.path_in_schema.split(".")[0] == options.source)
    return sum(column.total_uncompressed_size for column in texts)


LINES: dict[str, Any] = {
    **dict.fromkeys(JSON_LINES, line_records.read_json_lines),
    ".csv": line_records.read_csv,
    ".tsv": line_records.read_tsv,
}
HEADERS: dict[str, Any] = {".csv": line_records.check_csv, ".tsv": line_records.check_tsv}
TABLES = (PARQUET, *LINES)
