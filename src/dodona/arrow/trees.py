"""Sentences of the Parquet files that a run over a corpus wrote, at any level.

The fields of the words are joined into lines of CoNLL-U by Arrow's own loops, so that reading takes
little longer than that of a CoNLL-U file. The form of a multiword token and white space other than
a blank are not recorded in a table of words, and so not restored.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from dodona.treebank.conllu.reader import read, restore_sentence
from dodona.treebank.sentence import Sentence

FIELDS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps")
NEEDED = ("id", "form", "head", "deprel")
N_ROWS = 1 << 16


def read_trees(path: str) -> Iterator[Sentence]:
    """Yield the sentences of a Parquet file; the line of a sentence is the number of its row."""
    with Path(path).open("rb") as stream:
        try:
            file = parquet.ParquetFile(stream)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ValueError(f"{path}: not Parquet, or damaged: {error}") from error
        names = file.schema_arrow.names
        if "conllu" in names:
            yield from _read_conllu(path, file)
            return
        nested = next((name for name in ("sentences", "words") if name in names), None)
        if nested is None and not {*NEEDED} <= {*names}:
            raise ValueError(
                f"{path}: expected the output of dodona parse, with the columns "
                f"{', '.join(NEEDED)}, or words, sentences or conllu; found {', '.join(names)}"
            )
        columns = [nested] if nested else [n for n in names if n in (*FIELDS, *NEEDED, *_PLACES)]
        yield from _read_words(path, file, columns, nested)


_PLACES = ("start", "end", "sent_id")


def _read_conllu(path: str, file: parquet.ParquetFile) -> Iterator[Sentence]:
    n_before = 0
    for batch in file.iter_batches(N_ROWS, columns=["conllu"]):
        for number, text in enumerate(batch.column(0).to_pylist(), start=n_before + 1):
            source = BytesIO((text or "").encode())
            yield from read(source, trees="ignored", name=f"{path}:{number}")
        n_before += len(batch)


def _read_words(
    path: str, file: parquet.ParquetFile, columns: list[str], nested: str | None
) -> Iterator[Sentence]:
    n_before, rest = 0, None
    for batch in file.iter_batches(N_ROWS, columns=columns):
        words = _flatten(batch, n_before, nested)
        n_before += len(batch)
        words = words if rest is None else pa.concat_tables([rest, words])
        if not len(words):  # pyarrow 25 crashes on arrays without chunks
            continue
        firsts = pc.indices_nonzero(pc.equal(words["id"], 1)).to_pylist()
        end = len(words) if nested else (firsts[-1] if firsts else 0)
        rest = words.slice(end)
        yield from _sentences(path, words.slice(0, end))
    if rest is not None:
        yield from _sentences(path, rest)


def _flatten(batch: pa.RecordBatch, n_before: int, nested: str | None) -> pa.Table:
    """Return the words of a batch, without rows of failed documents, with the column `row`."""
    rows = pa.array(range(n_before + 1, n_before + 1 + len(batch)), pa.int64())
    table = pa.table({name: batch.column(name) for name in batch.schema.names} | {"row": rows})
    if nested == "sentences":
        table, nested = _unnest(table, "sentences"), "words"
    if nested == "words":
        table = _unnest(table, "words")
    return table.filter(pc.is_valid(table["id"]))


def _unnest(table: pa.Table, column: str) -> pa.Table:
    lists = table[column].combine_chunks()
    inside = lists.flatten()
    rows = table["row"].take(pc.list_parent_indices(lists))
    fields = {inside.type.field(i).name: field for i, field in enumerate(inside.flatten())}
    return pa.table(fields | {"row": rows})


def _sentences(path: str, words: pa.Table) -> Iterator[Sentence]:
    """Yield the sentences of whole documents; each begins with the word 1."""
    if not len(words):
        return
    lines = _lines(words).to_pylist()
    firsts = pc.indices_nonzero(pc.equal(words["id"], 1)).to_pylist()
    rows = words["row"].take(pa.array(firsts)).to_pylist()
    ids: list[Any] = [None] * len(firsts)
    if "sent_id" in words.column_names:
        ids = words["sent_id"].take(pa.array(firsts)).to_pylist()
    ends = [*firsts[1:], len(lines)]
    for first, end, row, sent_id in zip(firsts, ends, rows, ids, strict=True):
        comment = "" if sent_id is None else f"# sent_id = {sent_id}\n"
        text = comment + "\n".join(lines[first:end]) + "\n\n"
        yield restore_sentence(text.encode(), "conllu", path, row)


def _lines(words: pa.Table) -> Any:
    """Return a line of CoNLL-U for each word."""
    blank = pa.scalar("_")
    columns = [pc.cast(words["id"], pa.string())]
    for name in FIELDS:
        if name in words.column_names:
            columns.append(pc.fill_null(pc.cast(words[name], pa.string()), blank))
        else:
            columns.append(blank)
    return pc.binary_join_element_wise(*columns, _misc(words), "\t")


def _misc(words: pa.Table) -> Any:
    """Return MISC of each word: whether a blank follows it."""
    if not {"start", "end"} <= {*words.column_names}:
        return pa.scalar("_")
    starts, ends = words["start"].combine_chunks(), words["end"].combine_chunks()
    nexts = pa.concat_arrays([starts.slice(1), pa.nulls(1, starts.type)])
    joins = pc.or_(pc.equal(ends, nexts), pc.equal(starts, nexts))
    return pc.if_else(pc.fill_null(joins, False), "SpaceAfter=No", "_")
