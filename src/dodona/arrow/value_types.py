"""Types of kept values: the type that values have in common, and columns that hold them exactly.

A value that a column cannot hold exactly is a misfit: it is never rounded, cut or dropped. A column
of values without a common type holds them as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from functools import reduce
from typing import Any

import pyarrow as pa

from dodona.arrow.documents import text_type
from dodona.arrow.json_output import json_value

MAX_DEPTH = 32  # of lists and objects in a kept value
UNITS = ("s", "ms", "us", "ns")
MISFIT = (ValueError, TypeError, OverflowError, NotImplementedError)  # also Arrow's errors
TEXT = pa.string()


def infer_type(values: Iterable[Any]) -> pa.DataType:
    """Return the type of JSON values; null if there is none, and string for mixed values.

    >>> infer_type([1, None, 0.5]), infer_type([1, "a"]), infer_type([None])
    (DataType(double), DataType(string), DataType(null))
    """
    try:
        return pa.array([value for value in values if not _is_deep(value)]).type
    except MISFIT:  # mixed types, or integers beyond 64 bits
        return TEXT


def unify_types(types: Iterable[pa.DataType]) -> pa.DataType:
    """Return the narrowest type for the values of all types; string if only JSON can hold them.

    >>> unify_types([pa.int32(), pa.null(), pa.float32()])
    DataType(double)
    >>> unify_types([pa.struct({"a": pa.int64()}), pa.struct({"b": pa.bool_()})])
    StructType(struct<a: int64, b: bool>)
    """
    return reduce(_unify, types, pa.null())


def settle_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of a column: string where nothing but null or empty values were seen."""
    kind = _plain(kind)
    return kind if _is_clear(kind) else TEXT


def fit_values(column: list[Any], kind: pa.DataType) -> tuple[pa.Array, list[int]]:
    """Return a column, and the positions of the values that it cannot hold; those are null.

    >>> fit_values([1, 0.97], pa.int64())[1]
    [1]
    """
    if pa.types.is_string(kind):
        column = [*map(_as_text, column)]
    try:
        made = pa.array(column, kind)
        if all(map(_is_equal, made.to_pylist(), column)):
            return made, []
    except MISFIT:
        pass
    misfits = [i for i, value in enumerate(column) if not _fits(value, kind)]
    wrong = {*misfits}
    return pa.array([None if i in wrong else v for i, v in enumerate(column)], kind), misfits


def fit_column(column: pa.Array, kind: pa.DataType) -> tuple[pa.Array, list[int]]:
    """Convert an Arrow column to a type, as `fit_values` does."""
    if isinstance(column, pa.DictionaryArray) and text_type(column.type.value_type) is None:
        column = column.dictionary_decode()
    if column.type == kind or _plain(column.type) == kind:
        return column, []
    if pa.types.is_string(kind):
        if pa.types.is_temporal(column.type) or pa.types.is_decimal(column.type):
            return column.cast(TEXT), []
        return fit_values(column.to_pylist(), kind)
    values = column.to_pylist()
    try:
        made = column.cast(kind)  # checked, but a double becomes a float without a word
        if pa.types.is_integer(column.type) or all(map(_is_equal, made.to_pylist(), values)):
            return made, []
    except MISFIT:
        pass
    return fit_values(values, kind)


def _unify(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    one, other = _plain(one), _plain(other)
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if pa.types.is_integer(one) and pa.types.is_integer(other):
        return _unify_integers(one, other)
    if _is_number(one) and _is_number(other):
        return pa.float64()
    if pa.types.is_list(one) and pa.types.is_list(other):
        return pa.list_(_unify(one.value_type, other.value_type))
    if pa.types.is_struct(one) and pa.types.is_struct(other):
        return _unify_structs(one, other)
    if pa.types.is_timestamp(one) and pa.types.is_timestamp(other) and one.tz == other.tz:
        return max(one, other, key=lambda kind: UNITS.index(kind.unit))
    return TEXT


def _unify_integers(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    if pa.types.is_signed_integer(one) == pa.types.is_signed_integer(other):
        return max(one, other, key=lambda kind: kind.bit_width)
    return TEXT if pa.uint64() in (one, other) else pa.int64()


def _unify_structs(one: pa.StructType, other: pa.StructType) -> pa.DataType:
    fields = {field.name: field.type for field in map(one.field, range(one.num_fields))}
    for field in map(other.field, range(other.num_fields)):
        fields[field.name] = _unify(fields.get(field.name, pa.null()), field.type)
    return pa.struct(fields)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a dictionary, and string or binary for every kind of it."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return text_type(kind) or kind


def _is_clear(kind: pa.DataType) -> bool:
    """Return whether a type says what its values are, and Parquet can store it."""
    if pa.types.is_struct(kind):
        fields = map(kind.field, range(kind.num_fields))
        return kind.num_fields > 0 and all(_is_clear(field.type) for field in fields)
    return _is_clear(kind.value_type) if pa.types.is_list(kind) else not pa.types.is_null(kind)


def _as_text(value: Any) -> Any:
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    if isinstance(value, str | bytes | None) or _is_deep(value):
        return value
    return json.dumps(value, default=json_value)


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
    return bool(made == given) or (made != made and given != given)  # NaN


def _is_deep(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Return whether lists and objects are nested too deeply."""
    if not isinstance(value, list | dict):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return depth == 0 or any(_is_deep(one, depth - 1) for one in inside)
