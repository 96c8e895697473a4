"""Parsing of documents into record batches: segment, tag, parse, and fill the columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from dodona.arrow import builders
from dodona.arrow.documents import (
    Chunk,
    Document,
    Unparsable,
    kept_schema,
    split_into_chunks,
    text_type,
)
from dodona.arrow.languages import (
    Languages,
    identify_documents,
    load_parser,
    parse_by_language,
)
from dodona.arrow.options import ParseOptions
from dodona.arrow.schema import fields_of, join_schemas, optional_columns, word_fields
from dodona.batches import Sentences, map_in_order, n_words_of
from dodona.parsing.parser import Parser
from dodona.parsing.pipe_options import PipeOptions
from dodona.pipeline.auto import AutoParser
from dodona.segmentation.foreign import is_foreign
from dodona.segmentation.pieces import Source
from dodona.segmentation.segmenter import require_segmenter
from dodona.treebank.block import Block
from dodona.treebank.confidence import confidence_columns
from dodona.treebank.word import CONFIDENCES

AHEAD = 2  # chunks in flight per thread


@dataclass(frozen=True)
class ParsedChunk:
    """The rows of a parsed chunk, and counts for the progress."""

    batch: pa.RecordBatch
    n_documents: int
    n_words: int
    n_errors: int
    n_chars: int


class BatchParser:
    """A parser of record batches."""

    def __init__(self, options: ParseOptions, parser: Parser | AutoParser | None = None) -> None:
        self.options = options
        names = ("roots", "beam", "constraints", "graph", "confidence")
        self._how: dict[str, Any] = {name: getattr(options, name) for name in names}
        found = parser or load_parser(options)
        self.auto = found if isinstance(found, AutoParser) else None
        self.parser = found if isinstance(found, Parser) else None
        self.optional = optional_columns(self.parser, options.graph, options.confidence)
        if self.parser is not None:
            if options.text:
                require_segmenter(self.parser.segmenter)
            # wrong roots, beam, constraints or graph: an error of the call, not of a row
            self.parser.pipe([], **self._how)

    def parse(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parse record batches; the rows keep their order, but the batches are cut differently."""
        for parsed in self.parse_chunks(split_into_chunks(self.options, batches)):
            yield parsed.batch

    def parse_chunks(self, chunks: Iterable[Chunk]) -> Iterator[ParsedChunk]:
        """Parse chunks in threads, in order."""
        for parsed in map_in_order(self._parse_chunk, chunks, self.options.threads, AHEAD):
            yield from parsed

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the output for this schema of the input."""
        return join_schemas(kept_schema(self.options, given), self.options.level, self.optional)

    def _parse_chunk(self, chunk: Chunk) -> list[ParsedChunk]:
        """Parse a chunk; if that fails, parse its documents one by one."""
        try:
            return [self._parse(chunk)]
        except MemoryError:
            raise
        except Exception as error:
            if len(chunk.documents) > 1:
                rows = map(chunk.row, range(len(chunk.documents)))
                return [parsed for row in rows for parsed in self._parse_chunk(row)]
            why = f"{type(error).__name__}: {error}"
            return [self._parse(replace(chunk, documents=[Unparsable(why)]))]

    def _parse(self, chunk: Chunk) -> ParsedChunk:
        level, documents, languages = self.options.level, chunk.documents, None
        if self.auto is not None:
            documents, languages = identify_documents(self.auto, documents)
        output = ConlluRows() if level == "conllu" else TableRows(level, self.optional)
        here, n_words = -1, 0
        for row, sentences in self._parsed(documents, languages):
            while here < row:
                here += 1
                output.begin(here, documents[here])
            output.add(here, sentences)
            n_words += n_words_of(sentences)
        for rest in range(here + 1, len(documents)):
            output.begin(rest, documents[rest])
        schema = join_schemas(chunk.schema, level, self.optional)
        batch = output.finish(chunk.kept, schema, languages)
        n_chars = sum(len(text) for text in documents if isinstance(text, str))
        return ParsedChunk(batch, len(documents), n_words, len(output.errors), n_chars)

    def _parsed(
        self, documents: list[Document], languages: Languages | None
    ) -> Iterator[tuple[int, Sentences]]:
        """Yield the parsed sentences, with the rows of their documents, in order."""
        if self.auto is not None and languages is not None:
            for row, sentence in parse_by_language(self.auto, documents, languages, self._how):
                yield row, [sentence]
        elif self.parser is not None:
            sources = _sources(documents, self.parser)
            for part in self.parser.annotate(sources, list[Sentences], PipeOptions(**self._how)):
                for sentences in part.found:
                    yield part.source.context, sentences


def _sources(documents: list[Document], parser: Parser) -> Iterator[Source]:
    """Yield the sources of documents, with their rows; warn of other languages."""
    for row, document in enumerate(documents):
        if isinstance(document, str):
            is_foreign(document, parser.record, require_segmenter(parser.segmenter))
            yield Source([document], context=row)
        elif not isinstance(document, Unparsable):
            yield Source(None, document, context=row)


class TableRows:
    """Rows at the levels of words, sentences or documents."""

    def __init__(self, level: str, optional: Collection[str]) -> None:
        self.level, self.builder = level, builders.TableBuilder(level)
        self.optional = optional
        self.sure: dict[str, list[float | None]] = {n: [] for n in CONFIDENCES if n in optional}
        self.errors: dict[int, str] = {}  # by output row
        self.row, self.number, self.is_open = 0, 0, False

    def begin(self, row: int, document: Document) -> None:
        """Begin the document of an input row."""
        self._end()
        if isinstance(document, Unparsable):
            b = self.builder
            n_rows = {"word": b.n_words, "sentence": b.n_sentences, "document": b.n_documents}
            self.errors[n_rows[self.level]] = document.why
            self._add_nothing(row)
        else:
            self.row, self.number, self.is_open = row, 0, True

    def add(self, row: int, sentences: Sentences) -> None:
        """Add sentences of the current document."""
        self.builder.add(row, self.number + 1, sentences)
        self.number += len(sentences)
        for sentence in sentences if self.sure else ():
            self._add_confidences(confidence_columns(sentence), len(sentence))

    def _add_confidences(self, columns: dict[str, list[float | None]], n_rows: int) -> None:
        for name, values in self.sure.items():
            values += columns.get(name, [None] * n_rows)

    def _add_nothing(self, row: int) -> None:
        """Add a row of nulls."""
        self.builder.add_nothing(row)
        if self.level == "word":
            self._add_confidences({}, 1)

    def _end(self) -> None:
        if self.is_open and self.number == 0 and self.level != "document":
            self._add_nothing(self.row)  # a document without words has a row, too
        elif self.is_open:
            self.builder.end_document()
        self.is_open = False

    def finish(
        self, kept: list[pa.Array], schema: pa.Schema, languages: Languages | None
    ) -> pa.RecordBatch:
        """Return all rows as a record batch; the columns are not copied."""
        self._end()
        b = self.builder
        columns = _word_columns(b, self.sure, word_fields(self.optional))
        if self.level == "word":
            columns = [_int32(b.sent_ids, b.is_word), *columns]
            rows = _int32(b.word_rows)
            return record_batch(kept, rows, columns, languages, self.errors, schema)
        words = pa.StructArray.from_arrays(columns, fields=word_fields(self.optional))
        columns = [
            _int32(b.sentence_ids, b.is_sentence),
            _strings(b.sentence_texts, b.is_sentence),
            _int32(b.sentence_starts, b.spans_text),
            _int32(b.sentence_ends, b.spans_text),
            _lists(b.first_words, b.is_sentence, words),
        ]
        if self.level == "sentence":
            rows = _int32(b.sentence_rows)
            return record_batch(kept, rows, columns, languages, self.errors, schema)
        sentences = pa.StructArray.from_arrays(columns, fields=fields_of("sentence", self.optional))
        columns = [_lists(b.first_sentences, b.is_document, sentences)]
        return record_batch(kept, None, columns, languages, self.errors, schema)


class ConlluRows:
    """One row per document, with its CoNLL-U."""

    def __init__(self) -> None:
        self.texts: list[list[bytes] | None] = []
        self.errors: dict[int, str] = {}

    def begin(self, row: int, document: Document) -> None:
        if isinstance(document, Unparsable):
            self.errors[row] = document.why
        self.texts.append(None if row in self.errors else [])

    def add(self, row: int, sentences: Sentences) -> None:
        text = self.texts[row]
        assert text is not None
        text += [bytes(sentences)] if isinstance(sentences, Block) else map(bytes, sentences)

    def finish(
        self, kept: list[pa.Array], schema: pa.Schema, languages: Languages | None
    ) -> pa.RecordBatch:
        joined = [None if text is None else b"".join(text) for text in self.texts]
        made = [pa.array(joined, pa.string())]
        return record_batch(kept, None, made, languages, self.errors, schema)


def record_batch(
    kept: list[pa.Array],
    rows: pa.Array | None,
    made: list[pa.Array],
    languages: Languages | None,
    errors: dict[int, str],
    schema: pa.Schema,
) -> pa.RecordBatch:
    """Join kept columns, new columns and errors; `rows` is the input row of each output row.

    `languages` are those of the input rows, if they are a column.
    """
    n_rows = len(made[0])
    if languages is not None:
        column = pa.array(languages, pa.string())
        made = [*made, column if rows is None else _take(column, rows)]
    error = pa.nulls(n_rows, pa.string())
    if errors:
        # a reason may quote the input, which is not always Unicode
        clean = {row: why.encode(errors="backslashreplace").decode() for row, why in errors.items()}
        error = pa.array(map(clean.get, range(n_rows)), pa.string(), size=n_rows)
    columns = [column if rows is None else _take(column, rows) for column in kept]
    return pa.RecordBatch.from_arrays([*columns, *made, error], schema=schema)


def _take(column: pa.Array, rows: pa.Array) -> pa.Array:
    """Return the value of each row; Arrow cannot take rows of string views."""
    kind = column.type
    if not str(kind).endswith("_view"):
        return column.take(rows)
    return column.cast(text_type(kind)).take(rows).cast(kind)


def _word_columns(
    b: builders.TableBuilder, sure: dict[str, list[float | None]], fields: list[pa.Field]
) -> list[pa.Array]:
    columns = zip(builders.TEXT_NAMES, b.texts, b.has_text, strict=True)
    by_name = {name: _strings(texts, has_text) for name, texts, has_text in columns} | {
        "id": _int32(b.ids, b.is_word),
        "head": _int32(b.heads, b.has_head),
        "start": _int32(b.starts, b.has_position),
        "end": _int32(b.ends, b.has_position),
    }
    by_name |= {name: pa.array(values, pa.float64()) for name, values in sure.items()}
    return [by_name[field.name] for field in fields]


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
