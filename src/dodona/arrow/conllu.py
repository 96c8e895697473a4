"""Conversion of a table of words back to CoNLL-U, byte for byte as the parser wrote it.

A table of words has positions, but neither the white space between tokens nor the form of
multiword tokens: both are taken from the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pyarrow as pa

from dodona.treebank.tokens import escape_spaces

# as in core/segmenting/characters
LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
PARAGRAPH_END = "\u2029"
TAGS = ("lemma", "upos", "xpos", "feats")
NO_POSITION = (None, None)

WordRow = dict[str, Any]


def to_conllu(words: pa.Table | pa.RecordBatch, text: str | None = None) -> str:
    """Return the CoNLL-U of one document, given its words at `level="word"`.

    With the text of the document the result is that of `dodona parse`. Without it, the lines of
    multiword tokens are missing, and white space is reduced to SpaceAfter=No.

    >>> from dodona.arrow import mapper
    >>> text = "Listen!"
    >>> [words] = mapper("en")([pa.record_batch({"text": [text]})])
    >>> print(to_conllu(words, text).splitlines()[3])
    # text = Listen!
    """
    rows = [row for row in words.to_pylist() if row["id"] is not None]
    tokens = [list(found) for _, found in groupby(rows, key=_position)] if text is not None else []
    if text is None or any(_position(row) == NO_POSITION for row in rows):
        tokens = [[row] for row in rows]
    lines: list[str] = []
    for i, token in enumerate(tokens):
        following = tokens[i + 1][0]["start"] if i + 1 < len(tokens) else len(text or "")
        if token[0]["id"] == 1:
            lines += _comments(tokens, i, text)
        lines += _lines(token, _misc(token[0], following, text, is_first=i == 0), text)
        if i + 1 == len(tokens) or tokens[i + 1][0]["id"] == 1:
            lines.append("")
    return "".join(line + "\n" for line in lines)


def _position(row: WordRow) -> tuple[Any, ...]:
    """Return the position of a word, which the words of a multiword token share."""
    return row["start"], row["end"]


def _comments(tokens: list[list[WordRow]], i: int, text: str | None) -> Iterator[str]:
    first = tokens[i][0]
    if text is not None:
        if i == 0:
            yield "# newdoc"
        if i == 0 or _n_line_ends(text[tokens[i - 1][0]["end"] : first["start"]]) > 1:
            yield "# newpar"
    yield f"# sent_id = {first['sent_id']}"
    parts: list[str] = []
    for k in range(i, len(tokens)):
        row = tokens[k][0]
        if k > i and row["id"] == 1:
            break
        before = tokens[k - 1][0]
        is_apart = before["end"] is None or before["end"] < row["start"]
        parts += [" "] if k > i and is_apart else []
        parts.append(row["form"] if text is None else text[row["start"] : row["end"]])
    yield f"# text = {''.join(parts)}"


def _lines(token: list[WordRow], misc: str, text: str | None) -> Iterator[str]:
    first, last = token[0], token[-1]
    if len(token) > 1 and text is not None:
        form = text[first["start"] : first["end"]]
        yield f"{first['id']}-{last['id']}\t{form}" + "\t_" * 7 + f"\t{misc}"
        misc = "_"
    for row in token:
        head = "_" if row["head"] is None else row["head"]
        tags = "\t".join(row[name] or "_" for name in TAGS)
        arcs = f"{head}\t{row['deprel'] or '_'}\t{row.get('deps') or '_'}"
        yield f"{row['id']}\t{row['form']}\t{tags}\t{arcs}\t{misc}"


def _misc(row: WordRow, following: int | None, text: str | None, is_first: bool) -> str:
    """Return MISC of a token: the white space around it, and its position."""
    start, end = row["start"], row["end"]
    if start is None:
        return "_"
    parts = []
    if end == following:
        parts.append("SpaceAfter=No")
    elif text is not None and text[end:following] != " ":
        parts.append(f"SpacesAfter={escape_spaces(text[end:following])}")
    if is_first and start > 0 and text is not None:
        parts.append(f"SpacesBefore={escape_spaces(text[:start])}")
    return "|".join([*parts, f"TokenRange={start}:{end}"])


def _n_line_ends(gap: str) -> int:
    return sum(
        2 if character == PARAGRAPH_END else 1
        for i, character in enumerate(gap)
        if character in LINE_ENDS and gap[max(i - 1, 0) : i + 1] != "\r\n"
    )
