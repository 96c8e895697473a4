"""Arrow's arrays of the columns that were filled; none is copied."""

from __future__ import annotations

import pyarrow as pa

from dodona.arrow.columns import TEXT_NAMES, Bits, Columns, Numbers, Texts
from dodona.arrow.schema import fields_of, word_fields


def arrays(columns: Columns, level: str, with_deps: bool) -> tuple[pa.Array | None, list[pa.Array]]:
    """The columns of a level, and of which row that came in each row is (None: one each)."""
    words = _words(columns, with_deps)
    if level == "word":
        sent_ids = _numbers(columns.sent_ids, columns.is_word)
        return _numbers(columns.word_rows), [sent_ids, *words]
    sentences = _sentences(columns, words, with_deps)
    if level == "sentence":
        return _numbers(columns.sentence_rows), sentences
    inner = pa.StructArray.from_arrays(sentences, fields=fields_of("sentence", with_deps))
    return None, [_lists(columns.first_sentences, columns.is_document, inner)]


def record_batch(
    kept: list[pa.Array],
    rows: pa.Array | None,
    made: list[pa.Array],
    errors: dict[int, str],
    schema: pa.Schema,
) -> pa.RecordBatch:
    """The columns that are kept, repeated where a row has become several, and those made."""
    n_rows = len(made[0])
    said = pa.nulls(n_rows, pa.string())
    if errors:
        said = pa.array(map(errors.get, range(n_rows)), pa.string(), size=n_rows)
    columns = [column if rows is None else column.take(rows) for column in kept]
    return pa.RecordBatch.from_arrays([*columns, *made, said], schema=schema)


def _words(columns: Columns, with_deps: bool) -> list[pa.Array]:
    found = dict(zip(TEXT_NAMES, columns.texts, strict=True))
    texts = {name: _texts(column, columns.is_word) for name, column in found.items()}
    numbers = {
        "id": _numbers(columns.ids, columns.is_word),
        "head": _numbers(columns.heads, columns.has_head),
        "start": _numbers(columns.starts, columns.has_place),
        "end": _numbers(columns.ends, columns.has_place),
    }
    by_name = texts | numbers
    return [by_name[field.name] for field in word_fields(with_deps)]


def _sentences(columns: Columns, words: list[pa.Array], with_deps: bool) -> list[pa.Array]:
    there = columns.is_sentence
    inner = pa.StructArray.from_arrays(words, fields=word_fields(with_deps))
    return [
        _numbers(columns.sentence_ids, there),
        _texts(columns.sentence_texts, there),
        _numbers(columns.sentence_starts, columns.spans_text),
        _numbers(columns.sentence_ends, columns.spans_text),
        _lists(columns.first_words, there, inner),
    ]


def _numbers(column: Numbers, there: Bits | None = None) -> pa.Array:
    bits = _bits(there) if there else None
    return pa.Array.from_buffers(pa.int32(), len(column), [bits, pa.py_buffer(column.buffer())])


def _texts(column: Texts, there: Bits) -> pa.Array:
    ends, data = map(pa.py_buffer, column.buffers())
    return pa.Array.from_buffers(pa.string(), there.size, [_bits(there), ends, data])


def _lists(ends: Numbers, there: Bits, values: pa.Array) -> pa.Array:
    buffers = [_bits(there), pa.py_buffer(ends.buffer())]
    return pa.Array.from_buffers(pa.list_(values.type), there.size, buffers, children=[values])


def _bits(there: Bits) -> pa.Buffer | None:
    buffer = there.buffer()
    return None if buffer is None else pa.py_buffer(buffer)
