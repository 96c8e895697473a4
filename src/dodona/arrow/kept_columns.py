"""Kept columns of a run over files, in the types that were fixed before the run.

A value that its column cannot hold exactly makes its document an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

import pyarrow as pa

from dodona.arrow.documents import CHUNK_CHARS, Chunk, Unparsable, text_type
from dodona.arrow.line_records import Record
from dodona.arrow.options import ParseOptions
from dodona.arrow.value_types import fit_column, fit_values

MAX_RECORDS = 1000  # of a chunk
MAX_SHOWN = 60  # characters of a value in an error
DOC = pa.field("doc_key", pa.string())  # the document: its file and row, unique over a run


def chunk_records(
    records: Iterable[Record], file: str, options: ParseOptions, kept: pa.Schema
) -> Iterator[Chunk]:
    """Group the records of a file into chunks, with columns of their kept values."""
    for group in _groups(records, CHUNK_CHARS):
        documents = [record.document for record in group]
        columns = []
        for i, (old, new) in enumerate(options.keep):
            values = [record.kept[i] for record in group]
            column, misfits = fit_values(values, kept.field(new).type)
            columns.append(column)
            for k in misfits:
                why = _explain(old, values[k], column.type)
                documents[k] = Unparsable(f"line {group[k].line}: {why}")
        names = [record.name or f"{file}#{record.line}" for record in group]
        yield Chunk(documents, [pa.array(names), *columns], with_doc(kept))


def fit_chunks(
    chunks: Iterable[Chunk], file: str, first: int, options: ParseOptions, kept: pa.Schema
) -> Iterator[Chunk]:
    """Convert the kept columns of the chunks of a table, whose first row has the number `first`."""
    numbers = count(first)
    for chunk in chunks:
        documents, columns = [*chunk.documents], []
        rows = [next(numbers) for _ in documents]
        for (old, new), given in zip(options.keep, chunk.kept, strict=True):
            column, misfits = fit_column(given, kept.field(new).type)
            columns.append(column)
            for k in misfits:
                why = _explain(old, given[k].as_py(), column.type)
                documents[k] = Unparsable(f"row {rows[k]}: {why}")
        names = pa.array([f"{file}#{row}" for row in rows])
        yield Chunk(documents, [names, *columns], with_doc(kept))


def with_doc(kept: pa.Schema) -> pa.Schema:
    """Return the schema of the kept columns after the column of documents."""
    return pa.schema([DOC, *kept])


def _explain(name: str, value: object, kind: pa.DataType) -> str:
    return f"{name!r} is {value!a:.{MAX_SHOWN}}, which does not fit the column: {kind}"


def _groups(records: Iterable[Record], max_chars: int) -> Iterator[list[Record]]:
    """Group records up to a number of characters of text."""
    group: list[Record] = []
    n_chars = 0
    for record in records:
        group.append(record)
        n_chars += len(record.document) if isinstance(record.document, str) else 0
        if n_chars > max_chars or len(group) == MAX_RECORDS:
            yield group
            group, n_chars = [], 0
    if group:
        yield group


def encode_texts(chunk: Chunk) -> Chunk:
    """Dictionary-encode kept texts, so that the row of a word has an index instead of a copy."""
    kept = [*map(_encode, chunk.kept)]
    fields = map(pa.Field.with_type, chunk.schema, (column.type for column in kept))
    return Chunk(chunk.documents, kept, pa.schema([*fields]))


def encoded_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema of kept columns after `encode_texts`, for an input without rows."""
    columns = [pa.array([], field.type) for field in schema]
    return encode_texts(Chunk([], columns, schema)).schema


def _encode(column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        if pa.types.is_string(column.type.value_type):
            return column
        column = column.dictionary_decode()
    kind = text_type(column.type)
    return column if kind is None else column.cast(kind).dictionary_encode()
