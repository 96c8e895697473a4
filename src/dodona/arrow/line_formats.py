"""Readers of JSON lines, CSV and plain text; a bad record becomes a row with an error."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeAlias

import pyarrow as pa

from dodona.arrow.documents import CHUNK_CHARS, Chunk, Document, Unparsable, check_length
from dodona.arrow.locations import Location
from dodona.arrow.options import ParseOptions

COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
SAMPLE = 1000  # records that decide the types of the kept columns

# line number, document, kept values
Record: TypeAlias = tuple[int, Document, list[Any]]


@contextmanager
def reading(location: Location) -> Iterator[IO[bytes]]:
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


def read_json_lines(location: Location, options: ParseOptions) -> Iterator[Record]:
    """Read one JSON object per line."""
    with reading(location) as file:
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


def read_csv(location: Location, options: ParseOptions, delimiter: str = ",") -> Iterator[Record]:
    """Read CSV with a header line; quoted values may span lines."""
    csv.field_size_limit(2**31 - 1)  # the largest allowed; `max_chars` limits texts
    with reading(location) as file:
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


def read_texts(files: Iterable[tuple[Location, str]], options: ParseOptions) -> Iterator[Record]:
    """Read one document per file; the kept column is its name."""
    for location, below in files:
        with reading(location) as file:
            data = file.read(4 * options.max_chars + 4)  # more than the longest text takes
        try:
            document = check_length(data.decode("utf-8-sig"), options.max_chars)
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
    return check_length(value, options.max_chars)


def chunk_records(records: Iterable[Record], options: ParseOptions, name: str) -> Iterator[Chunk]:
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
        if n_chars > CHUNK_CHARS or len(group) == SAMPLE:
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
