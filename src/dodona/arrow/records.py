"""Records of line-based files: JSON lines, CSV, plain text. One that is bad is alone with it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeAlias

import pyarrow as pa

from dodona.arrow.places import Place
from dodona.arrow.plan import Plan
from dodona.arrow.rows import CHUNK_CHARS, Bad, Chunk, Document, check_length

COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
SAMPLE = 1000  # records that say of what type the kept columns are

# a line, the text (or what is wrong with it), and the values that are kept
Record: TypeAlias = tuple[int, Document, list[Any]]


@contextmanager
def reading(place: Place) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed where its name says so; errors name it."""
    try:
        stream = place.system.open_input_stream(place.path, compression=None)
        for suffix, codec in COMPRESSED.items():
            if place.path.endswith(suffix):
                stream = pa.CompressedInputStream(stream, codec)
        with io.BufferedReader(stream, 1 << 16) as file:
            yield file
    except OSError as error:
        raise ValueError(f"{place.name}: damaged, or cannot be read: {error}") from error


def read_json_lines(place: Place, plan: Plan) -> Iterator[Record]:
    """An object a line."""
    with reading(place) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            nothing = [None] * len(plan.keep)
            try:
                record = json.loads(line)
            except ValueError as error:  # also bytes that are no UTF-8
                yield number, Bad(f"line {number} is not JSON: {error}"), nothing
                continue
            if not isinstance(record, dict):
                yield number, Bad(f"line {number} is no JSON object"), nothing
                continue
            if plan.source in record:
                document = _document(record[plan.source], plan, number)
            else:
                known = ", ".join(record) or "nothing"
                document = Bad(f"line {number} has no {plan.source!r}; it has {known}")
            yield number, document, [record.get(old) for old, _ in plan.keep]


def read_csv(place: Place, plan: Plan, delimiter: str = ",") -> Iterator[Record]:
    """A record with the names of the first; values may stand in quotes, on several lines."""
    csv.field_size_limit(2**31 - 1)  # no text is too long for that; `max_chars` looks after it
    with reading(place) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
        lines = csv.reader(text, delimiter=delimiter)
        names = next(lines, [])
        for name in (plan.source, *(old for old, _ in plan.keep)):
            if name not in names:
                known = ", ".join(names) or "none"
                raise ValueError(f"{place.name}:1: no column {name!r}; there are: {known}")
        at = names.index(plan.source)
        kept = [names.index(old) for old, _ in plan.keep]
        for values in _checked(lines, place):
            if len(values) != len(names):
                why = f"line {lines.line_num} has {len(values)} values, not {len(names)}"
                if values:
                    yield lines.line_num, Bad(why), [None] * len(kept)
                continue
            document = _document(values[at], plan, lines.line_num)
            yield lines.line_num, document, [_clean(values[i]) for i in kept]


def _checked(lines: Any, place: Place) -> Iterator[list[str]]:
    """The same records; an error says where."""
    try:
        yield from lines
    except csv.Error as error:
        raise ValueError(f"{place.name}:{lines.line_num}: {error}") from error


def read_texts(files: Iterable[tuple[Place, str]], plan: Plan) -> Iterator[Record]:
    """A document a file; what is kept is its name."""
    for place, below in files:
        with reading(place) as file:
            data = file.read(4 * plan.max_chars + 4)  # bytes of the longest text, and some more
        try:
            document = check_length(data.decode("utf-8-sig"), plan.max_chars)
        except UnicodeDecodeError as error:
            if error.start < 4 * plan.max_chars:
                why = f"byte {error.start} is {data[error.start]:#04x}"
                document = Bad(f"the text is not UTF-8: {why}")
            else:
                document = Bad(f"the text is too long: at most {plan.max_chars:,} characters")
        yield 1, document, [below for _ in plan.keep]


def _document(value: Any, plan: Plan, number: int) -> Document:
    if value is None:
        return Bad("the text is null")
    if not isinstance(value, str):
        return Bad(f"line {number}: {plan.source!r} is a {type(value).__name__}, not text")
    try:
        value.encode()
    except UnicodeEncodeError:
        return Bad(f"line {number}: the text is not UTF-8")
    return check_length(value, plan.max_chars)


def _clean(value: str) -> str:
    return value.encode(errors="replace").decode()


def record_chunks(records: Iterable[Record], plan: Plan, name: str) -> Iterator[Chunk]:
    """The records, so many at a time; the types of what is kept are those of the first."""
    types: list[pa.DataType] | None = None
    for group in _groups(records):
        columns = [[values[i] for _, _, values in group] for i in range(len(plan.keep))]
        if types is None:
            types = [_type_of(column) for column in columns]
        names = [new for _, new in plan.keep]
        schema = pa.schema([*map(pa.field, names, types)])
        lines = [number for number, _, _ in group]
        kept = [
            _array(column, kind, lines, f"{name}:{{}}: {old!r}")
            for column, kind, (old, _) in zip(columns, types, plan.keep, strict=True)
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
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # of several types
        return pa.string()
    return pa.string() if pa.types.is_null(kind) else kind


def _array(column: list[Any], kind: pa.DataType, lines: list[int], where: str) -> pa.Array:
    """The values of a column; an error says in which line one is of another type."""
    if pa.types.is_string(kind):
        column = [value if isinstance(value, str | None) else json.dumps(value) for value in column]
    try:
        return pa.array(column, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        for number, value in zip(lines, column, strict=True):
            try:
                pa.array([value], kind)
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
                said = f"{where.format(number)} is {value!r}, but the first of them are {kind}"
                raise ValueError(said) from None
        raise
