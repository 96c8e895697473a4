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
WORTH_TWO_BYTES = 1 << 11  # values: with fewer, those that nobody uses take more than is won
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
    order = _dealt(order) if len(order) >= WORTH_TWO_BYTES else order
    numbers = compute.index_in(numbers, value_set=counts.field("values").take(order))
    return pa.DictionaryArray.from_arrays(numbers, _filled(values.take(order)))


def _dealt(order: pa.Array) -> pa.Array:
    """The first is number 0, the second number 256, and so on; what is rare stays where it is."""
    n_high = min(DEALT, len(order) // BYTE)
    front = [low * n_high + high for high in range(n_high) for low in range(BYTE)]
    return pa.concat_arrays([order.take(pa.array(front, pa.int64())), order[len(front) :]])


def _filled(values: pa.Array) -> pa.Array:
    n = len(values)
    if 1 < n <= BYTE // 2:
        n_wanted = BYTE // 2 + 1
    elif WORTH_TWO_BYTES <= n <= TWO_BYTES // 2:
        n_wanted = TWO_BYTES // 2 + 1
    else:
        return values
    # an odd text, so that none of ours is among them
    unused = pa.array([f"\0{number}\0" for number in range(n_wanted - n)], values.type)
    return pa.concat_arrays([values, unused])
