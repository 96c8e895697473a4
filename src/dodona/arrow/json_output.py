"""Rows as JSON lines. What JSON has no type for becomes null, text or base64."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from math import isfinite
from typing import Any

import pyarrow as pa

from dodona.arrow.output_files import OutputFile

JSON_ROWS = 100  # converted to Python objects at a time


class JsonOutput:
    """A file of JSON lines."""

    def __init__(self, file: OutputFile, schema: pa.Schema) -> None:
        self.file = file

    def write(self, batch: pa.RecordBatch) -> None:
        columns = [column.cast(_json_type(column.type)) for column in batch.columns]
        batch = pa.RecordBatch.from_arrays(columns, batch.schema.names)
        for first in range(0, len(batch), JSON_ROWS):  # few, as every row repeats kept texts
            for row in batch.slice(first, JSON_ROWS).to_pylist():
                self.file.write(_json_line(row))

    def describe(self, about: Mapping[str, Any]) -> None:
        """JSON lines have no place for it: the manifest describes the file."""

    def finish(self) -> None:
        pass


def _json_line(row: dict[str, Any]) -> bytes:
    """Return a row as JSON, which has no NaN and no infinities: they become null.

    >>> _json_line({"x": [float("nan"), 1.5]})
    b'{"x": [null, 1.5]}\\n'
    """
    try:
        text = json.dumps(row, ensure_ascii=False, default=json_value, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(row), ensure_ascii=False, default=json_value)
    return text.encode() + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inside) for name, inside in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_finite, value)]
    return None if isinstance(value, float) and not isfinite(value) else value


def json_value(value: Any) -> str:
    """Return the text of a value that JSON has no type for."""
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _json_type(kind: pa.DataType) -> pa.DataType:
    """Replace times in nanoseconds, which Python has no type for, by text or integers."""
    if pa.types.is_list(kind):
        return pa.list_(_json_type(kind.value_type))
    if pa.types.is_struct(kind):
        fields = (kind.field(i) for i in range(kind.num_fields))
        return pa.struct([field.with_type(_json_type(field.type)) for field in fields])
    if pa.types.is_temporal(kind) and getattr(kind, "unit", "") == "ns":
        return pa.int64() if pa.types.is_duration(kind) else pa.string()
    return kind
