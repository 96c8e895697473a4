"""From documents to record batches: segment, tag, parse, and lay out what was found."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from dodona.arrow.columns import Columns
from dodona.arrow.in_order import in_order
from dodona.arrow.layout import arrays, record_batch
from dodona.arrow.models import load_once
from dodona.arrow.plan import Plan
from dodona.arrow.rows import Bad, Chunk, Document, chunks, kept_schema
from dodona.arrow.schema import has_graphs, join_schemas
from dodona.parsing.parser import Parser
from dodona.segmentation.segmenter import require_segmenter
from dodona.treebank.sentence import Sentence

PIECE = 1 << 16  # characters of a long text that are segmented at a time

# of which row that came in each row is (None: one each), the columns, and errors by row
Finished = tuple[pa.Array | None, list[pa.Array], dict[int, str]]


@dataclass(frozen=True)
class Made:
    """What became of some documents, and how many of them could not be parsed."""

    batch: pa.RecordBatch
    n_documents: int
    n_words: int
    n_errors: int
    n_chars: int


class Kernel:
    """A plan and its model, at work."""

    def __init__(self, plan: Plan, parser: Parser | None = None) -> None:
        self.plan = plan
        self.parser = parser or load_once(plan.model, mapped=plan.mapped)
        self.with_deps = has_graphs(self.parser)
        if plan.text:
            require_segmenter(self.parser.segmenter)
        # what is wrong with these is wrong with the plan, not with a row
        self.parser.pipe([], roots=plan.roots, beam=plan.beam)

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What becomes of record batches; those that come out are other ones, in the same order."""
        for made in self.run_chunks(chunks(self.plan, batches)):
            yield made.batch

    def run_chunks(self, pieces: Iterable[Chunk]) -> Iterator[Made]:
        """The same of chunks, which say how many rows they are."""
        for made in in_order(self.work, pieces, self.plan.threads):
            yield from made

    def schema(self, given: pa.Schema) -> pa.Schema:
        """What comes out where this comes in."""
        return join_schemas(kept_schema(self.plan, given), self.plan.level, self.with_deps)

    def work(self, chunk: Chunk) -> list[Made]:
        """The rows of a chunk; where something fails, each document is on its own."""
        try:
            return [self._parse(chunk)]
        except MemoryError:
            raise
        except Exception as error:
            if len(chunk.documents) > 1:
                rows = map(chunk.row, range(len(chunk.documents)))
                return [made for row in rows for made in self.work(row)]
            why = f"{type(error).__name__}: {error}"
            return [self._parse(replace(chunk, documents=[Bad(why)]))]

    def _parse(self, chunk: Chunk) -> Made:
        made = _Conllu() if self.plan.level == "conllu" else _Tables(self.plan.level)
        # the row of each sentence on its way through the parser, which takes some ahead
        rows: deque[int] = deque()
        here, n_words = -1, 0
        pipe = self.parser.pipe(
            self._sentences(chunk.documents, rows), roots=self.plan.roots, beam=self.plan.beam
        )
        for sentence in pipe:
            while here < rows[0]:
                here += 1
                made.begin(here, chunk.documents[here])
            rows.popleft()
            made.add(here, sentence)
            n_words += len(sentence)
        for rest in range(here + 1, len(chunk.documents)):
            made.begin(rest, chunk.documents[rest])
        rows_made, columns, errors = made.finish(self.with_deps)
        schema = join_schemas(chunk.schema, self.plan.level, self.with_deps)
        batch = record_batch(chunk.kept, rows_made, columns, errors, schema)
        n_chars = sum(len(text) for text in chunk.documents if isinstance(text, str))
        return Made(batch, len(chunk.documents), n_words, len(errors), n_chars)

    def _sentences(self, documents: list[Document], rows: deque[int]) -> Iterator[Sentence]:
        for row, document in enumerate(documents):
            for sentence in self._segmented(document):
                rows.append(row)
                yield sentence

    def _segmented(self, document: Document) -> Iterator[Sentence]:
        if isinstance(document, Bad):
            return
        if isinstance(document, list):
            yield from document
            return
        segmenter = require_segmenter(self.parser.segmenter)
        if len(document) <= PIECE:
            yield from segmenter.segment(document)
            return
        pieces = (document[i : i + PIECE] for i in range(0, len(document), PIECE))
        for found in segmenter.stream(pieces):
            yield from found


class _Tables:
    """The rows of words, sentences or documents."""

    def __init__(self, level: str) -> None:
        self.level = level
        self.columns = Columns(level)
        self.errors: dict[int, str] = {}
        self.number = 0
        self.is_open = False

    def begin(self, row: int, document: Document) -> None:
        self._end()
        if isinstance(document, Bad):
            self.errors[len(self)] = document.why
            self.columns.add_nothing(row)
        else:
            self.number, self.is_open = 0, True

    def add(self, row: int, sentence: Sentence) -> None:
        self.number += 1
        self.columns.add(row, self.number, [sentence])

    def _end(self) -> None:
        if self.is_open:
            self.columns.end_document()
        self.is_open = False

    def __len__(self) -> int:
        sizes = {"word": self.columns.n_words, "sentence": self.columns.n_sentences}
        return sizes.get(self.level, self.columns.n_documents)

    def finish(self, with_deps: bool) -> Finished:
        self._end()
        return *arrays(self.columns, self.level, with_deps), self.errors


class _Conllu:
    """A row per document, with its CoNLL-U."""

    def __init__(self) -> None:
        self.texts: list[list[bytes] | None] = []
        self.errors: dict[int, str] = {}

    def begin(self, row: int, document: Document) -> None:
        is_bad = isinstance(document, Bad)
        self.texts.append(None if is_bad else [])
        if isinstance(document, Bad):
            self.errors[row] = document.why

    def add(self, row: int, sentence: Sentence) -> None:
        text = self.texts[row]
        assert text is not None
        text.append(bytes(sentence))

    def finish(self, with_deps: bool) -> Finished:
        joined = [None if text is None else b"".join(text) for text in self.texts]
        return None, [pa.array(joined, pa.string())], self.errors
