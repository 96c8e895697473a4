"""Arrow and Parquet: tables of any types, in batches and in files, and files that are damaged.

An input is the JSON of a table: the type and the values of each column, how it is cut and encoded,
and which bytes of its file are changed. What Arrow itself does not make is no input.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from dodona.arrow.batch_parser import BatchParser
from dodona.arrow.documents import split_into_chunks
from dodona.arrow.locations import list_files
from dodona.arrow.options import ParseOptions
from dodona.arrow.runs.contract import fix_types
from dodona.arrow.runs.planning import make_plan
from fuzz import samples
from fuzz.json_mutation import deep, json_values
from fuzz.mutation import BLIND
from fuzz.scratch import named_on_disk
from fuzz.target import Target, promise

TYPES: dict[str, Any] = {
    kind: pa.type_for_alias(kind)
    for kind in ("null", "string", "large_string", "binary", "large_binary", "int8", "uint64")
} | {
    "float": pa.float64(),
    "bool": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "decimal": pa.decimal128(10, 2),
    "view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int8(), pa.string()),
    "list": pa.list_(pa.string()),
    "lists": pa.list_(pa.list_(pa.string())),
    "large_list": pa.large_list(pa.large_string()),
    "fixed": pa.list_(pa.string(), 2),
    "struct": pa.struct({"a": pa.int64(), "b": pa.list_(pa.string())}),
    "map": pa.map_(pa.string(), pa.int8()),
}
NO_TABLE = (pa.ArrowException, TypeError, ValueError, OverflowError, KeyError, AttributeError)
NAMES = ["text", "tokens", "x", "y"]
MODES = ["text", "tokens"]
MOST_ROWS = 50


def run(data: bytes) -> object:
    """Parse the table as batches and as a Parquet file, and compare."""
    try:
        given = json.loads(data)
    except RecursionError:
        raise ValueError("JSON that Python does not descend") from None
    if not isinstance(given, dict):
        raise ValueError("expected an object")
    options = read_options(given)
    batches = make_batches(given)
    rows = parse(options, split_into_chunks(options, batches))
    n_rows = sum(batch.num_rows for batch in batches)
    promise(len(rows) == n_rows, "a row for each row")
    kept = [value for batch in batches for value in batch.to_pylist()]
    for row, before in zip(rows, kept, strict=True):
        promise((row["conllu"] is None) == bool(row["error"]), "a tree or a reason")
        for old, new in options.keep:
            promise(repr(row[new]) == repr(before[old]), f"{new} is kept")
    shown = len(rows), sum(bool(row["error"]) for row in rows)
    return *shown, check_file(given, options, batches, rows)


def read_options(given: dict[str, Any]) -> ParseOptions:
    """Return the options of an input: which column is parsed, and which are kept."""
    mode = "tokens" if given.get("tokens") is True else "text"
    keep = tuple((name, f"kept_{name}") for name in NAMES if name in given.get("keep", ()))
    options = ParseOptions("pipeline", keep=keep, level="conllu", max_chars=10_000)
    return replace(options, text=None, tokens="tokens") if mode == "tokens" else options


def make_batches(given: dict[str, Any]) -> list[pa.RecordBatch]:
    """Return the table in batches that begin anywhere in their buffers."""
    try:
        columns = {
            str(name): pa.array(values[:MOST_ROWS], TYPES[kind])
            for name, (kind, values) in dict(given["columns"]).items()
        }
        whole = pa.RecordBatch.from_pydict(columns)
        size = max(1, min(int(given.get("size", MOST_ROWS)), MOST_ROWS))
    except NO_TABLE as error:
        raise ValueError(f"no table: {error}") from None
    first = 1 if given.get("sliced") is True else 0
    return [whole.slice(at, size) for at in range(first, whole.num_rows, size)]


def parse(options: ParseOptions, chunks: Any) -> list[dict[str, Any]]:
    parsed = BatchParser(options, samples.parser("pipeline")).parse_chunks(chunks)
    return [row for one in parsed for row in one.batch.to_pylist()]


def check_file(
    given: dict[str, Any], options: ParseOptions, batches: list[pa.RecordBatch], rows: list[Any]
) -> str:
    """Write the table to a Parquet file and parse that; a damaged file is refused, or readable."""
    if not batches:
        return "no rows"
    file = io.BytesIO()
    try:
        table = pa.Table.from_batches(batches)
        parquet.write_table(table, file, row_group_size=3, compression="none")
    except NO_TABLE:
        return "not for Parquet"
    data = bytearray(file.getvalue())
    for at, new in damages(given, len(data)):
        data[at : at + len(new)] = new
    if isinstance(end := given.get("cut"), int) and 0 <= end < len(data):
        del data[end:]
    path = named_on_disk("table.parquet", bytes(data))
    is_whole = data == file.getvalue()
    try:
        plan = make_plan([list_files(str(path))], options, {})
        kept = fix_types(plan, options, workers=1)
        found = [row for part in plan.parts for row in parse(options, part.read(options, kept, []))]
    except ValueError as error:
        promise(not is_whole, f"a file that Arrow wrote is read: {error}")
        promise("table.parquet" in str(error), f"the file is named: {error}")
        return "damaged"
    if is_whole:
        for i, row in enumerate(found, 1):
            promise(row.pop("doc_key") == f"table.parquet#{i}", "every row has its number")
        promise(repr(found) == repr(rows), "the file has the rows of the batches")
    return "whole" if is_whole else "other"


def damages(given: dict[str, Any], size: int) -> Iterator[tuple[int, bytes]]:
    """Yield where bytes are changed, and into which."""
    for change in given.get("bytes", ()) if isinstance(given.get("bytes"), list) else ():
        match change:
            case [int(at), int(new)] if at >= 0 and 0 <= new < 256:
                yield at % size, bytes([new])


def _whole(data: bytes) -> tuple[bytes, bytes]:
    return b"", data


VALUES = ["Lemi vunint.", "Lemi", ["Lemi", "vun"], [["Lemi"], ["vun", "."]], [None], {"a": 1}]
TARGET = Target(
    run=run,
    refuses=(ValueError, TypeError),
    mutators=[
        *BLIND[:4],
        *[json_values(*TYPES, *NAMES, *VALUES, [[4, 255]], part=_whole)] * 12,
        deep(_whole),
    ],
    longest=900,
)
