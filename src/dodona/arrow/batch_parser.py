"""Parsing of documents into record batches: segment, tag, parse, and fill the columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import pyarrow as pa

from dodona.arrow.documents import Chunk, Document, Unparsable, kept_schema, split_into_chunks
from dodona.arrow.model_cache import load_cached
from dodona.arrow.options import ParseOptions
from dodona.arrow.record_batches import ConlluRows, TableRows
from dodona.arrow.schema import has_graphs, join_schemas
from dodona.batches import map_in_order
from dodona.parsing.parser import Parser
from dodona.segmentation.segmenter import require_segmenter
from dodona.treebank.sentence import Sentence

SEGMENT_CHARS = 1 << 16  # of a long text, segmented at a time
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

    def __init__(self, options: ParseOptions) -> None:
        self.options = options
        self.parser: Parser = load_cached(options.model, mapped=options.mapped)
        self.with_deps = has_graphs(self.parser)
        if options.text:
            require_segmenter(self.parser.segmenter)
        self._pipe([])  # wrong roots or beam: an error of the call, not of a row

    def _pipe(self, sentences: Iterable[Sentence]) -> Iterable[Sentence]:
        return self.parser.pipe(sentences, roots=self.options.roots, beam=self.options.beam)

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
        for sentence in self._pipe(sentences):
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

    def _segment(self, document: Document) -> Iterable[Sentence]:
        if isinstance(document, Unparsable):
            return ()
        if isinstance(document, list):
            return document
        segmenter = require_segmenter(self.parser.segmenter)
        if len(document) <= SEGMENT_CHARS:
            return segmenter.segment(document)
        starts = range(0, len(document), SEGMENT_CHARS)
        pieces = (document[i : i + SEGMENT_CHARS] for i in starts)
        return chain.from_iterable(segmenter.stream(pieces))
