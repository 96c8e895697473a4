"""Columns as dictionaries that Parquet files hold in little room.

Parquet packs the numbers of a dictionary's values into as few bits as the size of the dictionary
asks for. What is packed into 5 or 15 bits looks like noise to zstd, which thinks in bytes. So a
dictionary is filled up to where its numbers take 8 or 16 bits, with values that nobody uses, and
the frequent values come first: part-of-speech tags take 0.40 bytes instead of 0.50. The values of
two bytes are dealt out, since zstd has one code for both: with as many frequent values in the high
byte as in the low one, forms take 1.11 bytes and not 1.15. Every reader of Parquet reads it.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import compute

BYTE, TWO_BYTES = 1 << 8, 1 << 16
FEW_VALUES = 1 << 11  # are never worth two bytes
ROWS_PER_UNUSED = 7  # a value that nobody uses takes 0.9 bytes, two whole bytes save 0.13 a row
DEALT = 32  # high bytes that the most frequent values of two bytes are dealt out to


def encoded(column: pa.Array) -> pa.Array:
    """The column as a dictionary, where that is of use."""
    return column.dictionary_encode() if pa.types.is_string(column.type) else column


def packed(column: pa.ChunkedArray) -> pa.Array:
    """A column of dictionaries as one, its values by frequency, its numbers of whole bytes."""
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # older than pyarrow 21
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    numbers = whole.indices
    counts = compute.value_counts(numbers.drop_null())
    values = whole.dictionary.take(counts.field("values"))
    order = compute.sort_indices(  # a dictionary's neighbours begin alike: a twelfth less of it
        pa.table({"n": counts.field("counts"), "value": values}),
        sort_keys=[("n", "descending"), ("value", "ascending")],
    )
    n_unused = _n_unused(len(order), len(numbers))
    if TWO_BYTES // 2 < len(order) + n_unused <= TWO_BYTES:
        order = _dealt(order)
    numbers = compute.index_in(numbers, value_set=counts.field("values").take(order))
    return pa.DictionaryArray.from_arrays(numbers, _filled(values.take(order), n_unused))


def _dealt(order: pa.Array) -> pa.Array:
    """The first is number 0, the second number 256, and so on; what is rare stays where it is."""
    n_high = min(DEALT, len(order) // BYTE)
    front = [low * n_high + high for high in range(n_high) for low in range(BYTE)]
    return pa.concat_arrays([order.take(pa.array(front, pa.int64())), order[len(front) :]])


def _n_unused(n_values: int, n_rows: int) -> int:
    """How many values to add, so that numbers take whole bytes; none where that is not worth it."""
    if 1 < n_values <= BYTE // 2:
        return BYTE // 2 + 1 - n_values
    n = TWO_BYTES // 2 + 1 - n_values
    return n if n_values >= FEW_VALUES and 0 < n * ROWS_PER_UNUSED < n_rows else 0


def _filled(values: pa.Array, n_unused: int) -> pa.Array:
    # an odd text, so that none of ours is among them
    unused = pa.array([f"\0{number}\0" for number in range(n_unused)], values.type)
    return pa.concat_arrays([values, unused])
