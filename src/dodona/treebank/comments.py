"""Comments of sentences."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO

from dodona.treebank.conllu.reader import read
from dodona.treebank.conllu.writer import to_conllu
from dodona.treebank.sentence import Sentence

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def with_comments(sentence: Sentence, comments: Iterable[str]) -> Sentence:
    """Return the sentence, in CoNLL-U, with comments after those that it has.

    >>> with_comments(Sentence.from_columns(["Speak"]), ["# rank = 1"]).comments
    ['# rank = 1']
    """
    data = bytes(to_conllu(sentence)).removeprefix(_BYTE_ORDER_MARK)
    lines = data.splitlines(keepends=True)
    words = next(i for i, line in enumerate(lines) if not line.startswith(b"#"))
    lines[words:words] = [f"{comment}\n".encode() for comment in comments]
    return next(iter(read(BytesIO(b"".join(lines)), trees="optional")))
