"""What is promised of runs over records with kept columns, in both formats of the output."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pyarrow as pa
from pyarrow import parquet

from dodona.arrow.batch_parser import BatchParser, ParsedChunk
from dodona.arrow.kept_columns import chunk_records, encode_texts
from dodona.arrow.line_records import Record
from dodona.arrow.options import ParseOptions
from dodona.arrow.outputs import FORMATS, open_output
from dodona.arrow.value_types import infer_type, settle_type
from fuzz import samples
from fuzz.target import promise

Rows = list[dict[str, Any]]
OPTIONS = ParseOptions("pipeline", keep=(("x", "x"), ("y", "y"), ("text", "t")), level="conllu")
KEPT = [new for _, new in OPTIONS.keep]


def parse_records(records: Iterator[Record], data: bytes) -> Rows:
    """Parse the records of an input as a run does, and write and read the rows.

    All rows are written as JSON lines, some as Parquet, too, which takes ten times as long.
    """
    found = [*records]
    columns = zip(*(record.kept for record in found), strict=True)
    types = [settle_type(infer_type(column)) for column in columns]
    kept = pa.schema(zip(KEPT, types or [pa.string()] * len(KEPT), strict=True))
    chunks = map(encode_texts, chunk_records(found, "fuzzed", OPTIONS, kept))
    parsed = [*BatchParser(OPTIONS, samples.parser("pipeline")).parse_chunks(chunks)]
    rows: Rows = [row for one in parsed for row in one.batch.to_pylist()]
    promise(sum(one.n_documents for one in parsed) == len(rows), "a row for each document")
    for row in rows:
        promise((row["conllu"] is None) == bool(row["error"]), "a tree or a reason")
    if parsed:
        for format in FORMATS if crc32(data) % 8 == 0 else ("json",):
            promise(_written(format, parsed) == rows, f"rows written as {format} read the same")
    return rows


def _written(format: str, parsed: list[ParsedChunk]) -> Rows:
    """Write the rows in a format, and read them back."""
    file = io.BytesIO()
    with open_output(file, format, parsed[0].batch.schema) as writer:
        for one in parsed:
            writer.write(one.batch)
    if format == "parquet":
        found: Rows = parquet.ParquetFile(pa.BufferReader(file.getvalue())).read().to_pylist()
        return found
    return [json.loads(line, parse_constant=_refuse) for line in file.getvalue().splitlines()]


def _refuse(name: str) -> None:
    promise(False, f"{name} is JSON")
