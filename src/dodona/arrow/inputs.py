"""Parts of a run: each is read from one or more input files and becomes one output file.

A large Parquet file is split into parts of some row groups each, so that a killed run repeats
little. Small plain texts are joined into one part. A bad record of JSON lines, CSV or plain text
becomes a row with an error.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import IO, Any, TypeAlias, TypeVar

import pyarrow as pa
from pyarrow import parquet

from dodona.arrow import documents
from dodona.arrow.documents import Chunk, Document, Unparsable
from dodona.arrow.locations import Location, list_files
from dodona.arrow.options import ParseOptions

PART_BYTES = 64 << 20  # of text: about 12 million words, some minutes of parsing
BATCH_BYTES = 4 << 20  # of text, read at a time
PARQUET, TEXT = ".parquet", ".txt"
FILE = "file"  # the column with the name of a plain text
COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
SAMPLE = 1000  # records that decide the types of the kept columns

# line number, document, kept values
Record: TypeAlias = tuple[int, Document, list[Any]]

T = TypeVar("T")


@dataclass(frozen=True)
class CorpusFile:
    """An input file, with its path relative to the given folder."""

    location: Location
    below: str
    size: int

    @cached_property
    def suffix(self) -> str:
        """Return the type of the file, by its name."""
        return suffix_of(self.below)


@dataclass(frozen=True)
class InputPart:
    """The inputs of one output file."""

    name: str  # path in the output folder, without a suffix
    inputs: tuple[CorpusFile, ...]
    n_bytes: int  # an estimate, for the progress
    row_groups: tuple[int, ...] = ()  # of a Parquet file

    def describe(self) -> dict[str, Any]:
        """Return the fields of the manifest that identify the inputs."""
        return {"inputs": [i.below for i in self.inputs], "row_groups": list(self.row_groups)}

    def read(self, options: ParseOptions) -> Iterator[Chunk]:
        """Read the documents."""
        first = self.inputs[0]
        if first.suffix == PARQUET:
            return documents.split_into_chunks(
                options, _read_row_groups(first, options, self.row_groups)
            )
        if first.suffix in LINES:
            records = LINES[first.suffix](first.location, options)
        else:
            files = ((given.location, given.below) for given in self.inputs)
            records = _read_texts(files, options)
        return _chunk_records(records, options, first.location.name)

    def schema(self, options: ParseOptions) -> pa.Schema:
        """Return the schema of the input; only that of Parquet has other types than text."""
        if self.inputs[0].suffix != PARQUET:
            return pa.schema(dict.fromkeys(options.columns, pa.string()))
        with _open_parquet(self.inputs[0]) as file:
            return file.schema_arrow


def suffix_of(name: str) -> str:
    """Return the suffix of a file, without the suffix of a compression.

    >>> suffix_of("a.b.jsonl.gz"), suffix_of("README"), suffix_of("part-0.zstd.parquet")
    ('.jsonl', '', '.parquet')
    """
    _, dot, last = _decompressed(name).rpartition("/")[2].rpartition(".")
    return f"{dot}{last}".lower() if dot else ""


def find_parts(names: Iterable[str], options: ParseOptions) -> list[InputPart]:
    """Return the parts of all inputs: files, glob patterns and folders, local or by URL."""
    parts: list[InputPart] = []
    for name in names:
        found = [CorpusFile(*file) for file in list_files(name)]
        known = [given for given in found if given.suffix in (*TABLES, TEXT)]
        if not known:
            kinds = ", ".join((*TABLES, TEXT))
            raise ValueError(f"{name}: expected files of {kinds} (tables with .gz, .zst)")
        tables = [given for given in known if given.suffix != TEXT]
        parts += (part for given in tables for part in _split(given, options))
        parts += _join(given for given in known if given.suffix == TEXT)
    owners: dict[str, InputPart] = {}
    for part in parts:
        if other := owners.get(part.name):
            one, two = other.inputs[0].location.name, part.inputs[0].location.name
            raise ValueError(f"{one} and {two} would become one file; give their common folder")
        owners[part.name] = part
    return parts


def _split(given: CorpusFile, options: ParseOptions) -> Iterator[InputPart]:
    """Yield the parts of a table: one, or several groups of Parquet row groups."""
    name = _decompressed(given.below)
    name = name[: -len(given.suffix)]
    if given.suffix != PARQUET:
        yield InputPart(name, (given,), given.size)
        return
    with _open_parquet(given) as file:
        row_groups = map(file.metadata.row_group, range(file.num_row_groups))
        sizes = [_text_size(row_group, options) for row_group in row_groups]
    groups = _grouped(range(len(sizes)), sizes) or [[]]
    for number, group in enumerate(groups):
        called = name if len(groups) == 1 else f"{name}-{number:05}"
        yield InputPart(called, (given,), sum(sizes[k] for k in group), tuple(group))


def _join(texts: Iterable[CorpusFile]) -> Iterator[InputPart]:
    """Yield parts of many plain texts each."""
    given = [*texts]
    for number, group in enumerate(_grouped(given, [text.size for text in given])):
        yield InputPart(f"texts-{number:05}", tuple(group), sum(text.size for text in group))


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


def _open_parquet(given: CorpusFile) -> parquet.ParquetFile:
    """Open a Parquet file with a small buffer, so that no column is read as a whole."""
    try:
        source = given.location.system.open_input_file(given.location.path)
        return parquet.ParquetFile(source, buffer_size=1 << 20, pre_buffer=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"{given.location.name}: not Parquet, or damaged: {error}") from error


def _text_size(row_group: Any, options: ParseOptions) -> int:
    columns = map(row_group.column, range(row_group.num_columns))
    texts = (one for one in columns if one.path_in_schema.split(".")[0] == options.source)
    return sum(column.total_uncompressed_size for column in texts)


def _read_row_groups(
    given: CorpusFile, options: ParseOptions, groups: tuple[int, ...]
) -> Iterator[pa.RecordBatch]:
    where = given.location.name
    with _open_parquet(given) as file:
        known = file.schema_arrow.names
        for name in options.columns:
            if name not in known:
                raise ValueError(f"{where}: no column {name!r}; there are: {', '.join(known)}")
        metadata = [file.metadata.row_group(i) for i in groups]
        n_rows = sum(group.num_rows for group in metadata)
        size = sum(_text_size(group, options) for group in metadata)
        n_rows_at_once = max(1, min(4096, BATCH_BYTES * n_rows // max(size, 1)))
        try:
            yield from file.iter_batches(
                n_rows_at_once, row_groups=[*groups], columns=options.columns
            )
        except (pa.ArrowInvalid, OSError) as error:
            raise ValueError(f"{where}: damaged or unreadable: {error}") from error


def checksum(given: CorpusFile) -> str:
    """Return the SHA-256 of a file, not decompressed."""
    digest = hashlib.sha256()
    with given.location.system.open_input_stream(given.location.path, compression=None) as stream:
        while data := stream.read(1 << 20):
            digest.update(data)
    return digest.hexdigest()


@contextmanager
def _reading(location: Location) -> Iterator[IO[bytes]]:
    """Open a file, decompressed by its suffix; errors name it."""
    try:
        stream = location.system.open_input_stream(location.path, compression=None)
        for suffix, codec in COMPRESSED.items():
            if location.path.endswith(suffix):
                stream = pa.CompressedInputStream(stream, codec)
        with io.BufferedReader(stream, 1 << 16) as file:
            yield file
    except OSError as error:
        raise ValueError(f"{location.name}: damaged or unreadable: {error}") from error


def _read_json_lines(location: Location, options: ParseOptions) -> Iterator[Record]:
    """Read one JSON object per line."""
    with _reading(location) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            nothing = [None] * len(options.keep)
            try:
                record = json.loads(line)
            except ValueError as error:  # also if the bytes are not UTF-8
                yield number, Unparsable(f"line {number} is not JSON: {error}"), nothing
                continue
            if not isinstance(record, dict):
                yield number, Unparsable(f"line {number} is not a JSON object"), nothing
                continue
            if options.source in record:
                document = _document(record[options.source], options, number)
            else:
                known = ", ".join(record) or "nothing"
                document = Unparsable(f"line {number} has no {options.source!r}; it has {known}")
            yield number, document, [record.get(old) for old, _ in options.keep]


def _read_csv(location: Location, options: ParseOptions, delimiter: str = ",") -> Iterator[Record]:
    """Read CSV with a header line; quoted values may span lines."""
    csv.field_size_limit(2**31 - 1)  # the largest allowed; `max_chars` limits texts
    with _reading(location) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
        lines = csv.reader(text, delimiter=delimiter)
        names = next(lines, [])
        for name in options.columns:
            if name not in names:
                known = ", ".join(names) or "none"
                raise ValueError(f"{location.name}:1: no column {name!r}; there are: {known}")
        at = names.index(options.source)
        kept = [names.index(old) for old, _ in options.keep]
        for values in _checked(lines, location):
            if len(values) != len(names):
                why = f"line {lines.line_num} has {len(values)} values, not {len(names)}"
                if values:
                    yield lines.line_num, Unparsable(why), [None] * len(kept)
                continue
            document = _document(values[at], options, lines.line_num)
            clean = [values[i].encode(errors="replace").decode() for i in kept]
            yield lines.line_num, document, clean


def _checked(lines: Any, location: Location) -> Iterator[list[str]]:
    """Yield the records; errors name file and line."""
    try:
        yield from lines
    except csv.Error as error:
        raise ValueError(f"{location.name}:{lines.line_num}: {error}") from error


def _read_texts(files: Iterable[tuple[Location, str]], options: ParseOptions) -> Iterator[Record]:
    """Read one document per file; the kept column is its name."""
    for location, below in files:
        with _reading(location) as file:
            data = file.read(4 * options.max_chars + 4)  # more than the longest text takes
        try:
            document = documents.check_length(data.decode("utf-8-sig"), options.max_chars)
        except UnicodeDecodeError as error:
            why = f"the text is too long: at most {options.max_chars:,} characters"
            if error.start < 4 * options.max_chars:
                why = f"the text is not UTF-8: byte {error.start} is {data[error.start]:#04x}"
            document = Unparsable(why)
        yield 1, document, [below for _ in options.keep]


def _document(value: Any, options: ParseOptions, number: int) -> Document:
    if value is None:
        return Unparsable("the text is null")
    if not isinstance(value, str):
        kind = type(value).__name__
        return Unparsable(f"line {number}: {options.source!r} is a {kind}, not text")
    try:
        value.encode()
    except UnicodeEncodeError:
        return Unparsable(f"line {number}: the text is not UTF-8")
    return documents.check_length(value, options.max_chars)


def _chunk_records(records: Iterable[Record], options: ParseOptions, name: str) -> Iterator[Chunk]:
    """Group records into chunks; the first chunk decides the types of the kept columns."""
    types: list[pa.DataType] | None = None
    for group in _groups(records):
        columns = [[values[i] for _, _, values in group] for i in range(len(options.keep))]
        if types is None:
            types = [_type_of(column) for column in columns]
        names = [new for _, new in options.keep]
        schema = pa.schema([*map(pa.field, names, types)])
        lines = [number for number, _, _ in group]
        kept = [
            _array(column, kind, lines, f"{name}:{{}}: {old!r}")
            for column, kind, (old, _) in zip(columns, types, options.keep, strict=True)
        ]
        yield Chunk([document for _, document, _ in group], kept, schema)


def _groups(records: Iterable[Record]) -> Iterator[list[Record]]:
    group: list[Record] = []
    n_chars = 0
    for record in records:
        document = record[1]
        group.append(record)
        n_chars += len(document) if isinstance(document, str) else 0
        if n_chars > documents.CHUNK_CHARS or len(group) == SAMPLE:
            yield group
            group, n_chars = [], 0
    if group:
        yield group


def _type_of(column: list[Any]) -> pa.DataType:
    try:
        kind = pa.array(column).type
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # mixed types
        return pa.string()
    return pa.string() if pa.types.is_null(kind) else kind


def _array(column: list[Any], kind: pa.DataType, lines: list[int], where: str) -> pa.Array:
    """Convert a column; an error names the line of a value of another type."""
    if pa.types.is_string(kind):
        column = [value if isinstance(value, str | None) else json.dumps(value) for value in column]
    try:
        return pa.array(column, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        for number, value in zip(lines, column, strict=True):
            try:
                pa.array([value], kind)
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
                raise ValueError(
                    f"{where.format(number)} is {value!r}, but the first values are {kind}"
                ) from None
        raise


LINES: dict[str, Any] = {
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".csv": _read_csv,
    ".tsv": partial(_read_csv, delimiter="\t"),
}
TABLES = (PARQUET, *LINES)
