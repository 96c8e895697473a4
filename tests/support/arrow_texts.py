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


def words_of(texts: list[str]) -> list[dict[str, Any]]:
    """The rows that stand for what the parser makes of texts, put together word by word."""
    names = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel")
    return [
        {"doc_id": row, "sent_id": number}
        | {name: getattr(word, name) for name in names}
        | {"start": token.start, "end": token.end, "error": None}
        for row, text in enumerate(texts)
        for number, sentence in enumerate(parser()(text), start=1)
        for token in sentence.tokens
        for word in sentence[token.first - 1 : token.last]
    ]
