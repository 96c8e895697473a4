"""Records of JSON lines, CSV and plain texts: a document and the kept values of each.

A bad record becomes a document with an error. An unclosed quote of CSV is an error of the file,
because it would swallow the records that follow.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import isinf
from typing import IO, Any, NamedTuple

import pyarrow as pa

from dodona.arrow.documents import Document, Unparsable, check_length
from dodona.arrow.locations import FoundFile, Location
from dodona.arrow.options import ParseOptions
from dodona.arrow.sources import Fingerprint, HashedStream, Source

COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
FILE = "file"  # the column with the name of a plain text
TRIED = 1000  # lines of a file that are searched for a column
MAX_SHOWN = 200  # characters of a list of columns in an error


class Record(NamedTuple):
    """A record of a file: its line, its document, and the kept values."""

    line: int
    document: Document
    kept: list[Any]


class LineFile(NamedTuple):
    """A file of records: its decompressed bytes, and its name in errors."""

    bytes: IO[bytes]
    name: str


@contextmanager
def decompressed(location: Location, found: list[Fingerprint] | None = None) -> Iterator[LineFile]:
    """Open a file, decompressed by its suffix; add the fingerprint of the whole file to `found`."""
    try:
        with Source(location) as source:
            stream: Any = HashedStream(source)
            inner = stream
            for suffix, codec in COMPRESSED.items():
                if location.path.endswith(suffix):
                    inner = pa.CompressedInputStream(pa.PythonFile(stream, "r"), codec)
            with io.BufferedReader(inner, 1 << 16) as file:
                yield LineFile(file, location.name)
                if found is not None:
                    found.append(stream.finish())
    except OSError as error:
        raise ValueError(f"{location.name}: damaged or unreadable: {error}") from error


def read_json_lines(file: LineFile, options: ParseOptions) -> Iterator[Record]:
    """Read one JSON object per line."""
    for number, found in _json_objects(file.bytes):
        if isinstance(found, Unparsable):
            yield Record(number, found, [None] * len(options.keep))
            continue
        if options.source in found:
            document = _document(found[options.source], options, number)
        else:
            known = show_names(found)
            document = Unparsable(f"line {number} has no {options.source!r}; it has {known}")
        yield Record(number, document, [found.get(old) for old, _ in options.keep])


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
    """Raise ValueError if no file has the column that is parsed in any of its first objects."""
    first: tuple[str, str] | None = None
    for location in locations:
        with decompressed(location) as file:
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
    at, *kept = (names.index(name) for name in (options.source, *(old for old, _ in options.keep)))
    for number, values in _csv_values(lines, file.name):
        nothing = [None] * len(kept)
        if isinstance(values, Unparsable):
            yield Record(number, values, nothing)
        elif len(values) != len(names):
            if values:  # not an empty line
                why = f"line {number} has {len(values)} values, not {len(names)}"
                yield Record(number, Unparsable(why), nothing)
        else:
            document = _document(values[at], options, number)
            yield Record(number, document, [values[i] for i in kept])


def check_csv(file: LineFile, options: ParseOptions, delimiter: str = ",") -> None:
    """Raise ValueError if the header lacks a column that is needed, or has it twice."""
    _, names = _open_csv(file, delimiter)
    check_columns(f"{file.name}:1", names, options)


def check_columns(where: str, names: Sequence[str], options: ParseOptions) -> None:
    """Raise ValueError if a column that is parsed or kept is missing, or there are two of it."""
    for name in options.columns:
        if names.count(name) > 1:
            raise ValueError(f"{where}: {names.count(name)} columns are called {name!r}")
        if name not in names:
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
        with decompressed(given.location, found) as file:
            data = file.bytes.read(4 * options.max_chars + 4)  # more than the longest text takes
        try:
            document: Document = check_length(data.decode("utf-8-sig"), options.max_chars)
        except UnicodeDecodeError as error:
            why = f"the text is too long: at most {options.max_chars:,} characters"
            if error.start < 4 * options.max_chars:
                why = f"the text is not UTF-8: byte {error.start} is {data[error.start]:#04x}"
            document = Unparsable(why)
        yield Record(1, document, [given.below for _ in options.keep])


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
