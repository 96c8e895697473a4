"""Rows of the output: parsed sentences collected per level, then turned into a record batch."""

from __future__ import annotations

import pyarrow as pa

from dodona.arrow import builders
from dodona.arrow.documents import Document, Unparsable
from dodona.arrow.schema import fields_of, word_fields
from dodona.treebank.sentence import Sentence


class TableRows:
    """Rows at the levels of words, sentences or documents."""

    def __init__(self, level: str) -> None:
        self.level, self.builder = level, builders.TableBuilder(level)
        self.errors: dict[int, str] = {}  # by output row
        self.number, self.is_open = 0, False

    def begin(self, row: int, document: Document) -> None:
        """Begin the document of an input row."""
        self._end()
        if isinstance(document, Unparsable):
            b = self.builder
            n_rows = {"word": b.n_words, "sentence": b.n_sentences, "document": b.n_documents}
            self.errors[n_rows[self.level]] = document.why
            b.add_nothing(row)
        else:
            self.number, self.is_open = 0, True

    def add(self, row: int, sentence: Sentence) -> None:
        """Add a sentence of the current document."""
        self.number += 1
        self.builder.add(row, self.number, sentence)

    def _end(self) -> None:
        if self.is_open:
            self.builder.end_document()
        self.is_open = False

    def finish(self, kept: list[pa.Array], schema: pa.Schema, with_deps: bool) -> pa.RecordBatch:
        """Return all rows as a record batch; the columns are not copied."""
        self._end()
        b = self.builder
        columns = _word_columns(b, with_deps)
        if self.level == "word":
            columns = [_int32(b.sent_ids, b.is_word), *columns]
            return record_batch(kept, _int32(b.word_rows), columns, self.errors, schema)
        words = pa.StructArray.from_arrays(columns, fields=word_fields(with_deps))
        columns = [
            _int32(b.sentence_ids, b.is_sentence),
            _strings(b.sentence_texts, b.is_sentence),
            _int32(b.sentence_starts, b.spans_text),
            _int32(b.sentence_ends, b.spans_text),
            _lists(b.first_words, b.is_sentence, words),
        ]
        if self.level == "sentence":
            return record_batch(kept, _int32(b.sentence_rows), columns, self.errors, schema)
        sentences = pa.StructArray.from_arrays(columns, fields=fields_of("sentence", with_deps))
        columns = [_lists(b.first_sentences, b.is_document, sentences)]
        return record_batch(kept, None, columns, self.errors, schema)


class ConlluRows:
    """One row per document, with its CoNLL-U."""

    def __init__(self) -> None:
        self.texts: list[list[bytes] | None] = []
        self.errors: dict[int, str] = {}

    def begin(self, row: int, document: Document) -> None:
        """Begin the document of an input row."""
        if isinstance(document, Unparsable):
            self.errors[row] = document.why
        self.texts.append(None if row in self.errors else [])

    def add(self, row: int, sentence: Sentence) -> None:
        """Add a sentence of the current document."""
        text = self.texts[row]
        assert text is not None
        text.append(bytes(sentence))

    def finish(self, kept: list[pa.Array], schema: pa.Schema, with_deps: bool) -> pa.RecordBatch:
        """Return all rows as a record batch."""
        joined = [None if text is None else b"".join(text) for text in self.texts]
        return record_batch(kept, None, [pa.array(joined, pa.string())], self.errors, schema)


def record_batch(
    kept: list[pa.Array],
    rows: pa.Array | None,
    made: list[pa.Array],
    errors: dict[int, str],
    schema: pa.Schema,
) -> pa.RecordBatch:
    """Join kept columns, new columns and errors; `rows` is the input row of each output row."""
    n_rows = len(made[0])
    error = pa.nulls(n_rows, pa.string())
    if errors:
        error = pa.array(map(errors.get, range(n_rows)), pa.string(), size=n_rows)
    columns = [column if rows is None else column.take(rows) for column in kept]
    return pa.RecordBatch.from_arrays([*columns, *made, error], schema=schema)


def _word_columns(b: builders.TableBuilder, with_deps: bool) -> list[pa.Array]:
    texts = dict(zip(builders.TEXT_NAMES, b.texts, strict=True))
    by_name = {name: _strings(column, b.is_word) for name, column in texts.items()} | {
        "id": _int32(b.ids, b.is_word),
        "head": _int32(b.heads, b.has_head),
        "start": _int32(b.starts, b.has_position),
        "end": _int32(b.ends, b.has_position),
    }
    return [by_name[field.name] for field in word_fields(with_deps)]


def _int32(column: builders.Int32Builder, valid: builders.ValidityBitmap | None = None) -> pa.Array:
    bitmap = _bitmap(valid) if valid else None
    return pa.Array.from_buffers(pa.int32(), len(column), [bitmap, pa.py_buffer(column.buffer())])


def _strings(column: builders.StringBuilder, valid: builders.ValidityBitmap) -> pa.Array:
    ends, data = map(pa.py_buffer, column.buffers())
    return pa.Array.from_buffers(pa.string(), valid.size, [_bitmap(valid), ends, data])


def _lists(
    ends: builders.Int32Builder, valid: builders.ValidityBitmap, values: pa.Array
) -> pa.Array:
    buffers = [_bitmap(valid), pa.py_buffer(ends.buffer())]
    return pa.Array.from_buffers(pa.list_(values.type), valid.size, buffers, children=[values])


def _bitmap(valid: builders.ValidityBitmap) -> pa.Buffer | None:
    buffer = valid.buffer()
    return None if buffer is None else pa.py_buffer(buffer)
