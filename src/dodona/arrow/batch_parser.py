"""Parsing of documents into record batches: segment, tag, parse, and fill the columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import pyarrow as pa

from dodona.arrow.documents import Chunk, Document, Unparsable, kept_schema, split_into_chunks
from dodona.arrow.model_cache import load_cached
from dodona.arrow.options import ParseOptions
from dodona.arrow.record_batches import ConlluRows, TableRows
from dodona.arrow.schema import has_graphs, join_schemas
from dodona.parsing.parser import Parser
from dodona.segmentation.segmenter import require_segmenter
from dodona.treebank.sentence import Sentence

SEGMENT_CHARS = 1 << 16  # of a long text, segmented at a time
AHEAD = 2  # chunks in flight per thread

S = TypeVar("S")
T = TypeVar("T")


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

    def __init__(self, options: ParseOptions) -> None:
        self.options = options
        self.parser: Parser = load_cached(options.model, mapped=options.mapped)
        self.with_deps = has_graphs(self.parser)
        if options.text:
            require_segmenter(self.parser.segmenter)
        # wrong roots or beam: an error of the call, not of a row
        self.parser.pipe([], roots=options.roots, beam=options.beam)

    def parse(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parse record batches; the rows keep their order, but the batches are cut differently."""
        for parsed in self.parse_chunks(split_into_chunks(self.options, batches)):
            yield parsed.batch

    def parse_chunks(self, chunks: Iterable[Chunk]) -> Iterator[ParsedChunk]:
        """Parse chunks in threads, in order."""
        for parsed in map_in_order(self._parse_chunk, chunks, self.options.threads):
            yield from parsed

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the output for this schema of the input."""
        return join_schemas(kept_schema(self.options, given), self.options.level, self.with_deps)

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
        level, documents = self.options.level, chunk.documents
        output = ConlluRows() if level == "conllu" else TableRows(level)
        rows: deque[int] = deque()  # of the sentences in the parser, which reads some ahead
        here, n_words = -1, 0
        sentences = self._sentences(documents, rows)
        for sentence in self.parser.pipe(
            sentences, roots=self.options.roots, beam=self.options.beam
        ):
            while here < rows[0]:
                here += 1
                output.begin(here, documents[here])
            rows.popleft()
            output.add(here, sentence)
            n_words += len(sentence)
        for rest in range(here + 1, len(documents)):
            output.begin(rest, documents[rest])
        schema = join_schemas(chunk.schema, level, self.with_deps)
        batch = output.finish(chunk.kept, schema, self.with_deps)
        n_chars = sum(len(text) for text in documents if isinstance(text, str))
        return ParsedChunk(batch, len(documents), n_words, len(output.errors), n_chars)

    def _sentences(self, documents: list[Document], rows: deque[int]) -> Iterator[Sentence]:
        for row, document in enumerate(documents):
            for sentence in self._segment(document):
                rows.append(row)
                yield sentence

    def _segment(self, document: Document) -> Iterator[Sentence]:
        if isinstance(document, Unparsable):
            return
        if isinstance(document, list):
            yield from document
            return
        segmenter = require_segmenter(self.parser.segmenter)
        if len(document) <= SEGMENT_CHARS:
            yield from segmenter.segment(document)
            return
        starts = range(0, len(document), SEGMENT_CHARS)
        for found in segmenter.stream(document[i : i + SEGMENT_CHARS] for i in starts):
            yield from found


def map_in_order(work: Callable[[S], T], items: Iterable[S], threads: int) -> Iterator[T]:
    """Map items in several threads, with few items read ahead, and yield results in order.

    >>> list(map_in_order(len, ["oak", "speaks"], threads=2))
    [3, 6]
    """
    if threads == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
