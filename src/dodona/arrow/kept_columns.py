"""Kept values of records as columns: the first records decide the types.

A value that a column cannot hold exactly makes its record an error; it is never rounded, cut or
dropped. A column of mixed or unclear types holds JSON as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa

from dodona.arrow.documents import CHUNK_CHARS, Chunk, Unparsable, text_type
from dodona.arrow.line_records import Record
from dodona.arrow.options import ParseOptions

SAMPLE = 1000  # records that decide the types of the kept columns
SAMPLE_CHARS = 4 << 20  # of their texts, at most
MAX_DEPTH = 32  # of lists and objects in a kept value
MAX_SHOWN = 60  # characters of a value in an error
MISFIT = (ValueError, TypeError, OverflowError, NotImplementedError)  # also Arrow's errors


def chunk_records(records: Iterable[Record], options: ParseOptions) -> Iterator[Chunk]:
    """Group records into chunks, with columns of their kept values."""
    rest = iter(records)
    sample = next(_groups(rest, SAMPLE_CHARS), [])
    columns = [[record.kept[i] for record in sample] for i in range(len(options.keep))]
    types = [*map(_type_of, columns)]
    names = [new for _, new in options.keep]
    schema = pa.schema([*map(pa.field, names, types)])
    for group in _groups(chain(sample, rest), CHUNK_CHARS):
        documents = [record.document for record in group]
        kept = []
        for i, (old, _) in enumerate(options.keep):
            column, misfits = _convert([record.kept[i] for record in group], types[i])
            kept.append(column)
            for k in misfits:
                shown = f"{old!r} is {group[k].kept[i]!a:.{MAX_SHOWN}}"
                why = f"line {group[k].line}: {shown}, which does not fit the column: {types[i]}"
                documents[k] = Unparsable(why)
        yield Chunk(documents, kept, schema)


def _groups(records: Iterable[Record], max_chars: int) -> Iterator[list[Record]]:
    """Group records up to a number of characters of text."""
    group: list[Record] = []
    n_chars = 0
    for record in records:
        group.append(record)
        n_chars += len(record.document) if isinstance(record.document, str) else 0
        if n_chars > max_chars or len(group) == SAMPLE:
            yield group
            group, n_chars = [], 0
    if group:
        yield group


def _type_of(column: list[Any]) -> pa.DataType:
    try:
        kind = pa.array([value for value in column if not _is_deep(value)]).type
    except MISFIT:  # mixed types, or integers beyond 64 bits
        return pa.string()
    return kind if _is_clear(kind) else pa.string()


def _is_clear(kind: pa.DataType) -> bool:
    """Return whether later values are likely to have this type, and Parquet can store it."""
    if pa.types.is_struct(kind):
        return kind.num_fields > 0 and all(
            _is_clear(kind.field(i).type) for i in range(kind.num_fields)
        )
    return _is_clear(kind.value_type) if pa.types.is_list(kind) else not pa.types.is_null(kind)


def _convert(column: list[Any], kind: pa.DataType) -> tuple[pa.Array, list[int]]:
    """Return a column, and the positions of the values that it cannot hold; those are null."""
    if pa.types.is_string(kind):
        column = [*map(_as_text, column)]
    try:
        made = pa.array(column, kind)
        if all(map(_is_equal, made.to_pylist(), column)):
            return made, []
    except MISFIT:
        pass
    misfits = [i for i, value in enumerate(column) if not _fits(value, kind)]
    return pa.array(
        [None if i in misfits else value for i, value in enumerate(column)], kind
    ), misfits


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str | None) or _is_deep(value) else json.dumps(value)


def _fits(value: Any, kind: pa.DataType) -> bool:
    try:
        return not _is_deep(value) and _is_equal(pa.array([value], kind)[0].as_py(), value)
    except MISFIT:
        return False


def _is_equal(made: Any, given: Any) -> bool:
    """Return whether a value is the given one; a field that was not given is null."""
    if isinstance(given, dict) and isinstance(made, dict):
        return all(_is_equal(made.get(name), value) for name, value in given.items())
    if isinstance(given, list) and isinstance(made, list):
        return len(made) == len(given) and all(map(_is_equal, made, given))
    return bool(made == given)


def _is_deep(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Return whether lists and objects are nested too deeply."""
    if not isinstance(value, list | dict):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return depth == 0 or any(_is_deep(one, depth - 1) for one in inside)


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
