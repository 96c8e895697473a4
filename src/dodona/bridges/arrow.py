"""Conversion of documents to and from Arrow tables with one row per word."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from dodona.extras import require
from dodona.treebank.confidence import confidence_columns
from dodona.treebank.sentence import Sentence
from dodona.treebank.token_ranges import word_offsets
from dodona.treebank.word import CONFIDENCES

if TYPE_CHECKING:
    import pyarrow

# column: property of Sentence
TAGS = {"form": "forms", "lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"}
RELATIONS = {"deprel": "deprels", "deps": "deps", "misc": "misc"}
TEXTS = TAGS | RELATIONS
NUMBERS = ("sentence", "id", "head", "start", "end")
NAMES = ("sentence", "sent_id", "id", *TAGS, "head", *RELATIONS, "start", "end")


def to_arrow(sentences: Iterable[Sentence]) -> pyarrow.Table:
    """Return a table of the words of all sentences, which are numbered from 1.

    Columns are those of CoNLL-U; unknown `head`, `start`, `end` and `sent_id` are null. Multiword
    tokens are not in the table, but their words are, with the position of the token. Sentences with
    confidences add a column for each.
    """
    arrow = require("pyarrow", "arrow")
    columns = word_columns(sentences)
    types = {name: arrow.int32() if name in NUMBERS else arrow.string() for name in NAMES}
    types |= dict.fromkeys(CONFIDENCES, arrow.float64())
    return arrow.table({name: arrow.array(values, types[name]) for name, values in columns.items()})


def word_columns(sentences: Iterable[Sentence]) -> dict[str, list[Any]]:
    """Return the columns of the table as lists."""
    columns: dict[str, list[Any]] = {name: [] for name in (*NAMES, *CONFIDENCES)}
    for number, sentence in enumerate(sentences, start=1):
        n_words = len(sentence)
        columns["sentence"] += [number] * n_words
        columns["sent_id"] += [sentence.sent_id] * n_words
        columns["id"] += range(1, n_words + 1)
        columns["head"] += sentence.heads
        for name, attribute in TEXTS.items():
            columns[name] += getattr(sentence, attribute)
        starts, ends = word_offsets(sentence)
        columns["start"] += starts
        columns["end"] += ends
        sure = confidence_columns(sentence)
        for name in CONFIDENCES:
            columns[name] += sure.get(name, [None] * n_words)
    is_asked = any(one is not None for one in columns["confidence"])
    return columns if is_asked else {name: columns[name] for name in NAMES}


def from_arrow(table: pyarrow.Table) -> list[Sentence]:
    """Return the sentences of a table of `to_arrow`; only the column `form` is required.

    Without the column `sentence`, all words are one sentence.
    """
    names = table.column_names
    if "form" not in names:
        raise ValueError(f"the table has no column 'form', only {', '.join(names)}")
    columns = {name: table.column(name).to_pylist() for name in NAMES if name in names}
    numbers = columns.get("sentence", [1] * table.num_rows)
    found, first = [], 0
    for _, rows in groupby(enumerate(numbers), key=itemgetter(1)):
        end = first + sum(1 for _ in rows)
        found.append(_sentence({name: column[first:end] for name, column in columns.items()}))
        first = end
    return found


def _sentence(columns: dict[str, list[Any]]) -> Sentence:
    texts: dict[str, Any] = {
        attribute: ["_" if value is None else value for value in columns[name]]
        for name, attribute in TEXTS.items()
        if name in columns
    }
    sent_id, heads = columns.get("sent_id", [None])[0], columns.get("head")
    comments = [] if sent_id is None else [f"# sent_id = {sent_id}"]
    return Sentence.from_columns(texts.pop("forms"), heads=heads, comments=comments, **texts)
