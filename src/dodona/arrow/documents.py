"""Documents of record batches: for each row a text, sentences of tokens, or an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import pyarrow as pa

from dodona.arrow.options import ParseOptions
from dodona.arrow.tokens import sentence_of_tokens
from dodona.treebank.sentence import Sentence

ROWS = 256  # converted to Python strings at a time
CHUNK_CHARS = 1 << 16  # about 12,000 words, 3 MB of columns


@dataclass(frozen=True)
class Unparsable:
    """A row that cannot be parsed."""

    why: str


Document: TypeAlias = str | list[Sentence] | Unparsable


@dataclass(frozen=True)
class Chunk:
    """Some rows of a batch: a document each, and the kept columns."""

    documents: list[Document]
    kept: list[pa.Array]
    schema: pa.Schema  # of the kept columns

    def row(self, i: int) -> Chunk:
        """Return a chunk of one row."""
        return Chunk([self.documents[i]], _rows(self.kept, i, 1), self.schema)


def split_into_chunks(options: ParseOptions, batches: Iterable[pa.RecordBatch]) -> Iterator[Chunk]:
    """Cut batches into chunks of about CHUNK_CHARS, the unit of work of a thread."""
    for batch in batches:
        schema = kept_schema(options, batch.schema)
        kept = [batch.column(old) for old, _ in options.keep]
        first, n_chars = 0, 0
        documents: list[Document] = []
        for document, size in _documents(options, batch):
            if documents and n_chars + size > CHUNK_CHARS:
                yield Chunk(documents, _rows(kept, first, len(documents)), schema)
                first, n_chars, documents = first + len(documents), 0, []
            documents.append(document)
            n_chars += size
        if documents:
            yield Chunk(documents, _rows(kept, first, len(documents)), schema)


def _rows(columns: list[pa.Array], first: int, n: int) -> list[pa.Array]:
    """Slice all columns without a copy."""
    return [column.slice(first, n) for column in columns]


def kept_schema(options: ParseOptions, schema: pa.Schema) -> pa.Schema:
    """Return the schema of the kept columns; a missing column is an error."""
    for name in options.columns:
        if schema.get_field_index(name) < 0:
            known = ", ".join(schema.names) or "none"
            raise ValueError(f"no column {name!r}, or several; there are: {known}")
    return pa.schema([schema.field(old).with_name(new) for old, new in options.keep])


def _documents(options: ParseOptions, batch: pa.RecordBatch) -> Iterator[tuple[Document, int]]:
    """Yield the document of each row, and its approximate size in characters."""
    column = batch.column(options.source)
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    read = _tokens if options.tokens else _texts
    for first in range(0, len(column), ROWS):
        for document in read(options, column.slice(first, ROWS)):
            if isinstance(document, str):
                yield document, len(document)
            else:  # a line of CoNLL-U is about four times as long as its token
                sentences = [] if isinstance(document, Unparsable) else document
                yield document, sum(len(bytes(sentence)) for sentence in sentences) // 4


def _texts(options: ParseOptions, column: pa.Array) -> Iterator[Document]:
    check_type(options, column.type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    for value in column.cast(pa.large_binary()).to_pylist():
        yield _decoded(value, options.max_chars)


def check_type(options: ParseOptions, kind: pa.DataType) -> int:
    """Return the depth of the lists in the parsed column; raise TypeError for another type."""
    inner, depth = kind.value_type if pa.types.is_dictionary(kind) else kind, 0
    while pa.types.is_list(inner) or pa.types.is_large_list(inner):
        inner, depth = inner.value_type, depth + 1
    is_text = pa.types.is_null(inner) or text_type(inner) is not None
    if options.tokens and pa.types.is_null(kind):
        return 1
    if options.tokens and (depth not in (1, 2) or not is_text):
        raise TypeError(
            f"the column {options.tokens!r} holds {kind}; expected tokens: list<string>, or "
            "list<list<string>> for several sentences"
        )
    if not options.tokens and (depth or not is_text):
        raise TypeError(
            f"the column {options.text!r} holds {kind}; expected text: string or binary"
        )
    return depth


def text_type(kind: pa.DataType) -> pa.DataType | None:
    """Return string or binary for a type of texts of any kind, and None for other types.

    >>> text_type(pa.large_string()), text_type(pa.int8())
    (DataType(string), None)
    """
    strings = ("is_string", "is_large_string", "is_string_view")  # views: not in older versions
    binaries = ("is_binary", "is_large_binary", "is_binary_view")
    for names, plain in ((strings, pa.string()), (binaries, pa.binary())):
        if any(getattr(pa.types, name, lambda _: False)(kind) for name in names):
            return plain
    return None


def _decoded(value: bytes | None, max_chars: int) -> Document:
    if value is None:
        return Unparsable("the text is null")
    try:
        return check_length(value.decode(), max_chars)
    except UnicodeDecodeError as error:
        return Unparsable(f"the text is not UTF-8: byte {error.start} is {value[error.start]:#04x}")


def check_length(text: str, max_chars: int) -> str | Unparsable:
    """Return the text, or an error if it is too long.

    >>> check_length("An oak", 5)
    Unparsable(why='the text is too long: 6 characters, at most 5')
    """
    if len(text) > max_chars:
        return Unparsable(f"the text is too long: {len(text):,} characters, at most {max_chars:,}")
    return text


def _tokens(options: ParseOptions, column: pa.Array) -> Iterator[Document]:
    """Yield the sentences of each row: list<string>, or list<list<string>> for several."""
    depth = check_type(options, column.type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.list_(pa.string()))
    for i in range(len(column)):
        if not column[i].is_valid:
            yield Unparsable("the tokens are null")
            continue
        row = column.slice(i, 1).flatten()
        try:
            yield _sentences(row if depth == 2 else None, row, options.max_chars)
        except ValueError as error:
            yield Unparsable(str(error))


def _sentences(lists: pa.Array | None, tokens: pa.Array, max_chars: int) -> list[Sentence]:
    """Return the sentences of one row; empty ones are skipped."""
    bounds = [0, len(tokens)]
    if lists is not None:
        if lists.null_count:
            raise ValueError("a sentence is null")
        bounds = [0]
        for sentence in lists:
            bounds.append(bounds[-1] + len(sentence))
        tokens = lists.flatten()
    if tokens.null_count:
        raise ValueError("a token is null")
    values = pa.concat_arrays([tokens.cast(pa.string())])  # a copy whose offsets begin with 0
    values.validate(full=True)  # ArrowInvalid, a ValueError, if it is not UTF-8
    _, ends, data = values.buffers()
    pairs = [(a, b) for a, b in pairwise(bounds) if a < b]
    if not pairs:
        return []
    bytes_ = memoryview(data or b"").cast("B")
    if len(bytes_) > max_chars:
        raise ValueError(f"the tokens are too long: {len(bytes_):,} bytes, at most {max_chars:,}")
    offsets = memoryview(ends).cast("B")[: 4 * (len(values) + 1)].cast("i")
    return [
        sentence_of_tokens(offsets, bytes_, first, last, number)
        for number, (first, last) in enumerate(pairs, start=1)
    ]
