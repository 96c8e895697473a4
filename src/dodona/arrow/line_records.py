"""Records of JSON lines, CSV and plain texts: a document and the kept values of each.

A bad record becomes a document with an error. An unclosed quote of CSV is an error of the file,
because it would swallow the records that follow.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from math import isinf
from types import MappingProxyType
from typing import IO, Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa

from dodona.arrow.documents import Document, Unparsable, check_length
from dodona.arrow.locations import FoundFile, Location
from dodona.arrow.options import ParseOptions
from dodona.arrow.sources import Fingerprint, HashedStream, Source
from dodona.arrow.value_types import infer_type, unify_types
from dodona.errors import DodonaError

COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
FILE = "file"  # the column with the name of the file, if it has no such column itself
TRIED = 1000  # lines of a file that are searched for a column
MAX_SHOWN = 200  # characters of a list of columns in an error


NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"


class DamagedError(DodonaError, ValueError):
    """A file that cannot be read or decompressed."""


class Record(NamedTuple):
    """A record of a file: its line, its document, and the kept values.

    `name` is the name of a document that is a file of its own.
    """

    line: int
    document: Document
    kept: list[Any]
    name: str = ""


class LineFile(NamedTuple):
    """A file of records: its decompressed bytes, its name in errors, and columns of one value."""

    bytes: IO[bytes]
    name: str
    constants: Mapping[str, str | None] = MappingProxyType({})


@contextmanager
def decompressed(
    location: Location,
    found: list[Fingerprint] | None = None,
    constants: Mapping[str, str | None] = MappingProxyType({}),
) -> Iterator[LineFile]:
    """Open a file, decompressed by its suffix; add the fingerprint of the whole file to `found`."""
    try:
        with Source(location) as source:
            stream: Any = HashedStream(source)
            inner = stream
            for suffix, codec in COMPRESSED.items():
                if location.path.endswith(suffix):
                    inner = pa.CompressedInputStream(pa.PythonFile(stream, "r"), codec)
            with io.BufferedReader(inner, 1 << 16) as file:
                yield LineFile(file, location.name, constants)
                if found is not None:
                    found.append(stream.finish())
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedError(f"{location.name}: damaged or unreadable: {error}") from error


def read_json_lines(file: LineFile, options: ParseOptions) -> Iterator[Record]:
    """Read one JSON object per line."""
    for number, found in _json_objects(file.bytes):
        if isinstance(found, Unparsable):
            yield Record(number, found, [None] * len(options.keep))
            continue
        values = {**file.constants, **found}
        if options.source in found:
            document = _document(found[options.source], options, number)
        else:
            known = show_names(found)
            document = Unparsable(f"line {number} has no {options.source!r}; it has {known}")
        yield Record(number, document, [values.get(old) for old, _ in options.keep])


def infer_types(file: LineFile, options: ParseOptions) -> list[pa.DataType]:
    """Read all of a file of JSON lines, and return the types of the kept columns."""
    types = [pa.null()] * len(options.keep)
    names = [old for old, _ in options.keep]
    rows = (
        [found[name] if name in found else file.constants.get(name) for name in names]
        for _, found in _json_objects(file.bytes)
        if isinstance(found, dict)
    )
    while some := [*islice(rows, TRIED)]:
        found = map(infer_type, zip(*some, strict=True))
        types = [unify_types(pair) for pair in zip(types, found, strict=True)]
    return types


def _json_objects(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any] | Unparsable]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line, parse_constant=_refuse_constant, parse_float=_finite)
        except RecursionError:
            yield number, Unparsable(f"line {number} is nested too deeply")
        except ValueError as error:  # also if the bytes are not UTF-8
            yield number, Unparsable(f"line {number} is not JSON: {error}")
        else:
            is_object = isinstance(found, dict)
            yield number, found if is_object else Unparsable(f"line {number} is not a JSON object")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError(f"{text:.20} is too large")
    return number


def check_json_lines(locations: Iterable[Location], options: ParseOptions) -> None:
    """Raise ValueError if no file has the column that is parsed in any of its first objects.

    Damaged files are skipped: they are errors when they are parsed.
    """
    first: tuple[str, str] | None = None
    for location in locations:
        with suppress(DamagedError), decompressed(location) as file:
            for number, found in _json_objects(file.bytes):
                if isinstance(found, dict):
                    if options.source in found:
                        return
                    first = first or (location.name, show_names(found))
                if number >= TRIED:
                    break
    if first is not None:
        raise ValueError(f"{first[0]}: no line has {options.source!r}; there are: {first[1]}")


def read_csv(file: LineFile, options: ParseOptions, delimiter: str = ",") -> Iterator[Record]:
    """Read CSV with a header line; quoted values may span lines."""
    lines, names = _open_csv(file, delimiter)
    more = {name: value for name, value in file.constants.items() if name not in names}
    n_values, names = len(names), [*names, *more]
    at, *kept = (names.index(name) for name in (options.source, *(old for old, _ in options.keep)))
    for number, values in _csv_values(lines, file.name):
        nothing = [None] * len(kept)
        if isinstance(values, Unparsable):
            yield Record(number, values, nothing)
        elif len(values) != n_values:
            if values:  # not an empty line
                why = f"line {number} has {len(values)} values, not {n_values}"
                yield Record(number, Unparsable(why), nothing)
        else:
            all_values = [*values, *more.values()]
            document = _document(values[at], options, number)
            yield Record(number, document, [all_values[i] for i in kept])


def check_csv(file: LineFile, options: ParseOptions, delimiter: str = ",") -> None:
    """Raise ValueError if the header lacks a column that is needed, or has it twice."""
    _, names = _open_csv(file, delimiter)
    check_columns(f"{file.name}:1", names, options, file.constants)


def check_columns(
    where: str, names: Sequence[str], options: ParseOptions, constants: Mapping[str, Any]
) -> None:
    """Raise ValueError if a column that is parsed or kept is missing, or there are two of it."""
    for name in options.columns:
        if names.count(name) > 1:
            raise ValueError(f"{where}: {names.count(name)} columns are called {name!r}")
        if name not in names and (name == options.source or name not in constants):
            raise ValueError(f"{where}: no column {name!r}; there are: {show_names(names)}")


def show_names(names: Iterable[str]) -> str:
    """Return the names of columns for an error.

    >>> show_names(["id", "text"]), show_names([])
    ('id, text', 'none')
    """
    shown = ", ".join(names) or "none"
    return shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]} …"


def _open_csv(file: LineFile, delimiter: str) -> tuple[Any, list[str]]:
    """Return the reader of a CSV file and the names of its columns."""
    csv.field_size_limit(2**31 - 1)  # the largest allowed; `max_chars` limits texts
    text = io.TextIOWrapper(file.bytes, "utf-8-sig", "surrogateescape", newline="")
    lines = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        names = next(lines, [])
    except csv.Error as error:
        raise ValueError(f"{file.name}:1: the header is not CSV: {error}") from error
    if not _is_unicode("".join(names)):
        raise ValueError(f"{file.name}:1: the header is not UTF-8")
    return lines, names


def _csv_values(lines: Any, name: str) -> Iterator[tuple[int, list[str] | Unparsable]]:
    """Yield the values of each record with its last line; a bad line is an error of its own."""
    while True:
        first = lines.line_num + 1
        try:
            values = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            last = lines.line_num
            if last > first or "end of data" in str(error):
                raise ValueError(
                    f"{name}:{first}: a quote that opens in this line does not close properly; "
                    f"reading stopped at line {last} ({error}); double the quotes inside values"
                ) from error
            yield last, Unparsable(f"line {last} is not CSV: {error}")
        else:
            yield lines.line_num, values


def read_texts(
    files: Iterable[FoundFile], options: ParseOptions, found: list[Fingerprint]
) -> Iterator[Record]:
    """Read one document per file; the kept column is its name."""
    for given in files:
        constants = path_values(given.below)
        document = _read_text(given, options, found)
        yield Record(1, document, [constants.get(old) for old, _ in options.keep], given.below)


def _read_text(given: FoundFile, options: ParseOptions, found: list[Fingerprint]) -> Document:
    n_found = len(found)
    try:
        with decompressed(given.location, found) as file:
            data = file.bytes.read(4 * options.max_chars + 4)  # more than the longest text takes
    except DamagedError as error:  # of one document of many
        if len(found) == n_found:
            with Source(given.location) as source:
                found.append(HashedStream(source).finish())
        return Unparsable(str(error))
    try:
        return check_length(data.decode("utf-8-sig"), options.max_chars)
    except UnicodeDecodeError as error:
        why = f"the text is too long: at most {options.max_chars:,} characters"
        if error.start < 4 * options.max_chars:
            why = f"the text is not UTF-8: byte {error.start} is {data[error.start]:#04x}"
        return Unparsable(why)


def path_values(below: str) -> dict[str, str | None]:
    """Return the columns that a path holds: its folders, as Hive names them, and the file.

    >>> path_values("lang=en/a.parquet")
    {'lang': 'en', 'file': 'lang=en/a.parquet'}
    """
    pairs = (part.partition("=") for part in below.split("/")[:-1])
    values = {name: unquote(value) for name, is_pair, value in pairs if name and is_pair}
    found = {name: None if value == NO_PARTITION else value for name, value in values.items()}
    return {**found, FILE: below}


def _document(value: Any, options: ParseOptions, number: int) -> Document:
    if value is None:
        return Unparsable("the text is null")
    if not isinstance(value, str):
        kind = type(value).__name__
        return Unparsable(f"line {number}: {options.source!r} is a {kind}, not text")
    if not _is_unicode(value):
        return Unparsable(f"line {number}: the text is not UTF-8")
    return check_length(value, options.max_chars)


def _is_unicode(text: str) -> bool:
    """Return whether a text has no lone surrogates, which stand for bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


read_tsv, check_tsv = partial(read_csv, delimiter="\t"), partial(check_csv, delimiter="\t")
