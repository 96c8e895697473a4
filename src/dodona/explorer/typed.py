"""Sentences that were typed or pasted: CoNLL-U, short lines, or plain words.

A short line has a word, its head and its label, or a word, its tag, head and label, separated by
spaces:

    Ask   0  root
    the   3  det
    oak   1  obj

An empty line ends a sentence. In plain text, every line is a tokenised sentence without a gold
tree.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

NO_HEAD = "_"
SHORT = re.compile(r"\S+(?:[ \t]+\S+)?[ \t]+(?:\d+|_)[ \t]+\S+")


def read_typed(text: str, *, name: str = "input") -> list[Sentence]:
    """Read the sentences of a text in any of these formats.

    >>> [sentence] = read_typed("Ask 0 root\\nthe 3 det\\noak 1 obj")
    >>> sentence.forms, sentence.heads
    (['Ask', 'the', 'oak'], [0, 3, 1])
    >>> [len(sentence) for sentence in read_typed("Ask the oak\\nIt speaks")]
    [3, 2]
    """
    lines = text.split("\n")
    words = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not words:
        raise ValueError(f"{name}: no sentence found")
    if any(line.count("\t") == 9 for line in words):
        source = io.BytesIO(text.rstrip(" \t\r\n").encode() + b"\n\n")
        with read(source, trees="optional", name=name) as reader:
            return list(reader)
    if any(map(SHORT.fullmatch, words)):
        return _short_sentences(lines, name)
    return [Sentence.from_columns(line.split()) for line in words]


def _short_sentences(lines: Sequence[str], name: str) -> list[Sentence]:
    sentences, rows = [], []
    for number, line in enumerate([*lines, ""], start=1):
        if line.startswith("#"):
            continue
        if line.strip():
            rows.append(_row(line, f"{name}:{number}"))
        elif rows:
            sentences.append(_sentence(rows, f"{name}:{number - len(rows)}"))
            rows = []
    return sentences


def _row(line: str, where: str) -> list[str]:
    """Return form, tag, head and label of a short line."""
    if not SHORT.fullmatch(line.strip()):
        raise ValueError(
            f"{where}: expected a word, its tag (optional), the number of its head and its label, "
            f"found {line.strip()!r}"
        )
    form, *tag, head, label = line.split()
    return [form, *(tag or ["_"]), head, label]


def _sentence(rows: Sequence[Sequence[str]], where: str) -> Sentence:
    forms, tags, heads, labels = zip(*rows, strict=True)
    try:
        return Sentence.from_columns(
            forms,
            upos=tags,
            heads=[None if head == NO_HEAD else int(head) for head in heads],
            deprels=labels,
        )
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
