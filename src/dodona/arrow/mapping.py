"""Mappers for data engines: a function of record batches, and a class for actor pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from dodona.arrow.batch_parser import BatchParser
from dodona.arrow.options import MapperKeywords, ParseOptions, make_options

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BatchMapper:
    """A picklable function from record batches of texts to record batches of trees."""

    __name__ = "dodona"  # the name of the step in Spark

    def __init__(self, options: ParseOptions) -> None:
        self.options = options

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return BatchParser(self.options).parse(batches)

    def __repr__(self) -> str:
        return _described("mapper", self.options)


def mapper(model: str | Path, **keywords: Unpack[MapperKeywords]) -> BatchMapper:
    """Return a function from record batches to record batches, for engines that stream them.

    Its pickle holds the arguments only; each process loads the model once, with the first batch.
    `text` is the column of texts (`"text"`), or `tokens` the column of tokens (list<string>, or
    list<list<string>>). `keep` lists the columns to keep; a dictionary renames them. `level` is
    the unit of an output row: word, sentence, document, or a document's CoNLL-U. A row that cannot
    be parsed (its text is null, not UTF-8, or longer than `max_chars`) becomes one row with an
    `error`. `threads` is 1, as engines run several processes. `roots`, `beam`, `constraints`,
    `graph` and `confidence`, which adds columns, are those of `Parser.pipe`; `mapped` and `rules`,
    whose file is read at once, are those of `dodona.load`.

    >>> batch = pa.record_batch({"doc_id": [7], "text": ["The oak speaks. Listen!"]})
    >>> [made] = mapper("en", keep=["doc_id"])([batch])
    >>> made.select(["doc_id", "sent_id", "id", "form", "head"]).to_pylist()[2]
    {'doc_id': 7, 'sent_id': 1, 'id': 3, 'form': 'speaks', 'head': 0}
    """
    return BatchMapper(make_options(model, **keywords))


class Mapper:
    """A mapper from tables to tables, for actor pools such as those of Ray.

    >>> parse = Mapper("en", level="conllu")
    >>> parse(pa.table({"text": ["Listen!"]})).column_names
    ['conllu', 'error']
    """

    def __init__(self, model: str | Path, **keywords: Unpack[MapperKeywords]) -> None:
        self.options = make_options(model, **keywords)

    def __call__(self, table: pa.Table | pa.RecordBatch) -> pa.Table:
        if not isinstance(table, (pa.Table, pa.RecordBatch)):
            given = f"expected a pyarrow.Table, not {type(table).__name__}"
            raise TypeError(f'{given}; Ray gives one with batch_format="pyarrow"')
        parser = BatchParser(self.options)
        batches = table.to_batches() if isinstance(table, pa.Table) else [table]
        about = {"dodona.version": version("dodona"), "dodona.model": self.options.model}
        schema = parser.schema(table.schema).with_metadata(about)  # Ray writes it to its files
        return pa.Table.from_batches(parser.parse(batches), schema=schema)

    def __repr__(self) -> str:
        return _described("Mapper", self.options)


def _described(name: str, options: ParseOptions) -> str:
    return f"<{name} of {options.source!r} by {options.model!r} to {options.level}s>"
