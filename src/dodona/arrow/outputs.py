"""Rows of a run as files: Parquet, whose dictionaries are made for zstd, or JSON lines.

Parquet packs dictionary indices into as few bits as the size of the dictionary needs. Indices of 5
or 15 bits look like noise to zstd, which works on bytes. So a dictionary is padded with unused
values until its indices take 8 or 16 bits, and frequent values come first: part-of-speech tags
take 0.40 bytes instead of 0.50. Two-byte indices are interleaved, since zstd has one code for both
bytes: with as many frequent values in the high byte as in the low one, forms take 1.11 bytes
instead of 1.15. Every reader of Parquet reads the result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import Any, Protocol

import pyarrow as pa
from pyarrow import compute, parquet

from dodona.arrow.json_output import JsonOutput
from dodona.arrow.output_files import OutputFile

ROW_GROUP_BYTES = 64 << 20  # of columns in memory: about a million words
# Bytes per word of fiction, with zstd: positions 0.5 (as a dictionary 1.5), heads 0.7, ids 0.1.
# BYTE_STREAM_SPLIT would make heads 0.55, but Spark does not read it.
ENCODINGS = {"start": "DELTA_BINARY_PACKED", "end": "DELTA_BINARY_PACKED"}
ENCODINGS |= dict.fromkeys(("sent_id", "id", "head"), "PLAIN")
# A row group's column is one page: pages are compressed separately, and with pyarrow's 20,000 rows
# per page a word takes 6.4 bytes instead of 5.8.
PAGE_BYTES, PAGE_ROWS = ROW_GROUP_BYTES, 1 << 30
LEVEL = 9  # of zstd: files 6% smaller than with 3, for 5% of the time of parsing
HEAD_LEVEL = 12  # 0.06 bytes per word smaller, for 2% of the time
BYTE, TWO_BYTES = 1 << 8, 1 << 16
FEW_VALUES = 1 << 11  # too few to be padded to two bytes
ROWS_PER_UNUSED = 7  # an unused value takes 0.9 bytes, two whole bytes save 0.13 per row
INTERLEAVED = 32  # high bytes over which the most frequent values are spread


class RowWriter(Protocol):
    """An open output file."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""

    def describe(self, about: Mapping[str, Any]) -> None:
        """Record where the rows come from, if the format has a place for it."""

    def finish(self) -> None:
        """Write what remains."""


@contextmanager
def open_output(file: OutputFile, format: str, schema: pa.Schema) -> Iterator[RowWriter]:
    """Open the writer of a format to an output file."""
    output = _FORMATS[format][1](file, schema)
    yield output
    output.finish()


def suffix_for(format: str) -> str:
    """Return the file name suffix of this format."""
    return _FORMATS[format][0]


class ParquetOutput:
    """A Parquet file; batches are collected to large row groups."""

    def __init__(self, file: OutputFile, schema: pa.Schema) -> None:
        self.file, self.schema = file, schema
        self.waiting, self.n_bytes = list[pa.RecordBatch](), 0
        self.writer: parquet.ParquetWriter | None = None
        self.about: Mapping[str, Any] = {}

    def write(self, batch: pa.RecordBatch) -> None:
        columns = [*map(_encoded, batch.columns)]
        self.waiting.append(pa.RecordBatch.from_arrays(columns, batch.schema.names))
        self.n_bytes += sum(map(_size, columns))
        kept = (one for one in batch.columns if pa.types.is_dictionary(one.type))
        self.n_bytes += sum(one.dictionary.nbytes for one in kept)  # may be long texts
        if self.n_bytes > ROW_GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        table = pa.Table.from_batches(self.waiting)
        self.waiting, self.n_bytes = [], 0
        table = pa.table([*map(_packed, table.columns)], table.column_names)
        self._open(table.schema).write_table(table, row_group_size=max(len(table), 1))

    def _open(self, schema: pa.Schema) -> parquet.ParquetWriter:
        """Open the writer; in the file, dictionary columns are strings."""
        if self.writer is None:
            is_flat = not any(pa.types.is_nested(field.type) for field in schema)
            known = signature(parquet.ParquetWriter.__init__).parameters
            # older versions of pyarrow do not have this option
            page_rows = {"max_rows_per_page": PAGE_ROWS} if "max_rows_per_page" in known else {}
            levels = {name: HEAD_LEVEL if name == "head" else LEVEL for name in schema.names}
            whole = {
                field.name for field in schema if pa.types.is_int32(field.type)
            }  # not kept texts
            ours = {name: ENCODINGS[name] for name in ENCODINGS if name in whole and is_flat}
            self.writer = parquet.ParquetWriter(
                pa.PythonFile(self.file, "w"),
                schema,
                compression="zstd",
                compression_level=levels if is_flat else LEVEL,
                data_page_size=PAGE_BYTES,
                **page_rows,
                use_dictionary=[n for n in schema.names if n not in ours] if is_flat else True,
                column_encoding=ours or None,
                dictionary_pagesize_limit=64 << 20,
                store_schema=False,
            )
        return self.writer

    def describe(self, about: Mapping[str, Any]) -> None:
        self.about = about

    def finish(self) -> None:
        if self.waiting:
            self._flush()
        writer = self._open(self.schema)
        if self.about and hasattr(writer, "add_key_value_metadata"):  # not before pyarrow 16
            values = {name: _as_text(value) for name, value in self.about.items()}
            writer.add_key_value_metadata({f"dodona.{name}": values[name] for name in values})
        writer.close()


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _size(column: pa.Array) -> int:
    """Return bytes of memory; of a dictionary the indices only, as batches share most values."""
    return int(column.indices.nbytes if pa.types.is_dictionary(column.type) else column.nbytes)


def _encoded(column: pa.Array) -> pa.Array:
    """Dictionary-encode a column of strings; return any other column as it is."""
    return column.dictionary_encode() if pa.types.is_string(column.type) else column


def _packed(column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Join the dictionaries of a column, ordered by frequency and padded to whole bytes.

    A column that is not encoded is returned as it is.
    """
    if not pa.types.is_dictionary(column.type):
        return column
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # older than pyarrow 21
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    indices = whole.indices
    counts = compute.value_counts(indices.drop_null())
    values = whole.dictionary.take(counts.field("values"))
    # alphabetical neighbours share prefixes: the dictionary is a twelfth smaller
    order = compute.sort_indices(
        pa.table({"n": counts.field("counts"), "value": values}),
        sort_keys=[("n", "descending"), ("value", "ascending")],
    )
    n_unused = _n_unused(len(order), len(indices))
    if TWO_BYTES // 2 < len(order) + n_unused <= TWO_BYTES:
        order = _interleaved(order)
    indices = compute.index_in(indices, value_set=counts.field("values").take(order))
    # no value of a treebank contains NUL
    unused = pa.array([f"\0{number}\0" for number in range(n_unused)], values.type)
    values = pa.concat_arrays([values.take(order), unused])
    return pa.DictionaryArray.from_arrays(indices, values)


def _interleaved(order: pa.Array) -> pa.Array:
    """Give the most frequent values the indices 0, 256, 512, …; rare ones keep their index."""
    n_high = min(INTERLEAVED, len(order) // BYTE)
    front = [low * n_high + high for high in range(n_high) for low in range(BYTE)]
    return pa.concat_arrays([order.take(pa.array(front, pa.int64())), order[len(front) :]])


def _n_unused(n_values: int, n_rows: int) -> int:
    """Return how many unused values pad the indices to whole bytes; 0 if that does not pay."""
    if 1 < n_values <= BYTE // 2:
        return BYTE // 2 + 1 - n_values
    n = TWO_BYTES // 2 + 1 - n_values
    return n if n_values >= FEW_VALUES and 0 < n * ROWS_PER_UNUSED < n_rows else 0


_FORMATS: dict[str, tuple[str, Callable[[OutputFile, pa.Schema], RowWriter]]] = {
    "parquet": (".parquet", ParquetOutput),
    "json": (".jsonl", JsonOutput),
}
FORMATS = tuple(_FORMATS)
