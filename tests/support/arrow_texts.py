"""Texts that tests of record batches share, and what the parser itself makes of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa

import dodona

TEXTS = [
    "The oak speaks. Don't listen to it!\n\nIt is  old, they say.",
    "",
    " \n ",
    "Naïve 🦉 owls can't count: 1, 2, 3 …\r\n\r\nI'm gonna go.",
    "\tWe\u2019ve been there\u2029And back",
]


@cache
def parser() -> dodona.Parser:
    return dodona.load("en")


def batch(texts: list[Any] = TEXTS, kind: pa.DataType | None = None) -> pa.RecordBatch:
    """The texts, with the number of each."""
    numbers = pa.array(range(len(texts)), pa.int64())
    return pa.record_batch({"doc_id": numbers, "text": pa.array(texts, kind or pa.string())})


NAMES = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel")
ROW = dict.fromkeys(("sent_id", *NAMES, "start", "end", "error"))


def words_of(texts: list[str]) -> list[dict[str, Any]]:
    """The rows that stand for what the parser makes of texts, put together word by word.

    What is not there is null, and a text without words has a row.
    """
    rows: list[dict[str, Any]] = []
    for row, text in enumerate(texts):
        made = [
            {"doc_id": row, "sent_id": number}
            | {name: _value(word, name) for name in NAMES}
            | {"start": token.start, "end": token.end, "error": None}
            for number, sentence in enumerate(parser()(text), start=1)
            for token in sentence.tokens
            for word in sentence[token.first - 1 : token.last]
        ]
        rows += made or [{"doc_id": row, **ROW}]
    return rows


def n_words_of(texts: list[str]) -> int:
    """The number of words of texts."""
    return sum(row["id"] is not None for row in words_of(texts))


def _value(word: Any, name: str) -> Any:
    value = getattr(word, name)
    return None if value == "_" and name != "form" else value
