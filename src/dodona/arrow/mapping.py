"""What engines are given: a function of record batches, and a class for pools of actors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from dodona.arrow.kernel import Kernel
from dodona.arrow.plan import Options, Plan, make_plan

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BatchMapper:
    """Record batches of texts to record batches of trees; `mapper` makes one."""

    __name__ = "dodona"  # what Spark calls this step

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return Kernel(self.plan).run(batches)

    def __repr__(self) -> str:
        return f"<mapper of {self.plan.source!r} by {self.plan.model!r} to {self.plan.level}s>"


def mapper(model: str | Path, **options: Unpack[Options]) -> BatchMapper:
    """A function from record batches to record batches, for engines that stream them.

    It is pickled as the few words that it is made of; each process loads the model once, when the
    first batch comes. `text` names the column of texts (`"text"`), or `tokens` that of tokens
    (list<string>, or list<list<string>>); `keep` the columns that stay, a dictionary gives them
    new names. `level` is what a row becomes: words, sentences, a document or its CoNLL-U. A row
    that cannot be parsed becomes one row with an `error`: a text that is null, not UTF-8, or longer
    than `max_chars`. `threads` is 1: engines run several processes. `roots` and `beam` are those of
    `Parser.pipe`; `mapped` is that of `dodona.load`.

    >>> batch = pa.record_batch({"doc_id": [7], "text": ["The oak speaks. Listen!"]})
    >>> [made] = mapper("en", keep=["doc_id"])([batch])
    >>> made.select(["doc_id", "sent_id", "id", "form", "head"]).to_pylist()[2]
    {'doc_id': 7, 'sent_id': 1, 'id': 3, 'form': 'speaks', 'head': 0}
    """
    return BatchMapper(make_plan(model, **options))


class Mapper:
    """The same for pools of actors, such as those of Ray: a table in, a table out.

    >>> parse = Mapper("en", level="conllu")
    >>> parse(pa.table({"text": ["Listen!"]})).column_names
    ['conllu', 'error']
    """

    def __init__(self, model: str | Path, **options: Unpack[Options]) -> None:
        self.plan = make_plan(model, **options)

    def __call__(self, table: pa.Table | pa.RecordBatch) -> pa.Table:
        if not isinstance(table, (pa.Table, pa.RecordBatch)):
            raise TypeError(
                f"expected a pyarrow.Table, not {type(table).__name__}; "
                'Ray gives one with batch_format="pyarrow"'
            )
        kernel = Kernel(self.plan)
        batches = table.to_batches() if isinstance(table, pa.Table) else [table]
        return pa.Table.from_batches(kernel.run(batches), schema=kernel.schema(table.schema))

    def __repr__(self) -> str:
        return f"<Mapper of {self.plan.source!r} by {self.plan.model!r} to {self.plan.level}s>"
