"""What is promised of every parse, whatever the words are."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Literal

import dodona
from dodona.treebank.trees.projectivity import is_tree
from fuzz.target import promise

Trees = Literal["required", "optional", "ignored"]


def check_parses(before: Sequence[dodona.Sentence], after: Sequence[dodona.Sentence]) -> int:
    """As many sentences of the same words, all of them trees, readable again; how many words."""
    promise(len(before) == len(after), "as many sentences come out as went in")
    for given, parsed in zip(before, after, strict=True):
        promise(given.forms == parsed.forms, "words stay what they are")
        heads = [-1 if head is None else head for head in parsed.heads]
        promise(is_tree(heads), f"a parse is a tree: {heads}")
    check_readable(after)
    return sum(map(len, after))


def check_readable(sentences: Sequence[dodona.Sentence], trees: Trees = "required") -> None:
    """What is written can be read again, and is the same."""
    written = b"".join(map(bytes, sentences))
    if written:
        format = sentences[0].format
        again = list(dodona.read(io.BytesIO(written), format=format, trees=trees))
        promise(again == list(sentences), "what is written reads the same")
