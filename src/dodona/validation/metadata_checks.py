"""Level 2: the comments of a sentence, and whether its text matches its tokens."""

from __future__ import annotations

from collections.abc import Iterator

from dodona.validation.problems import Finding
from dodona.validation.sentence_blocks import SentenceBlock

LEVEL = 2


def check_metadata(block: SentenceBlock, seen: dict[str, int]) -> Iterator[Finding]:
    """Check that a sentence has a text and a unique id; `seen` has the lines of known ids."""
    ids = list(find_comments(block, "sent_id"))
    if not ids:
        yield Finding(block.line, LEVEL, "sent_id", "no comment '# sent_id = …'", can_fix=True)
    for line, sent_id in ids[1:]:
        yield Finding(line, LEVEL, "sent_id", f"a second sent_id: {sent_id}; expected one")
    for line, sent_id in ids[:1]:
        if not sent_id or any(map(str.isspace, sent_id)):
            message = f"sent_id is {sent_id!r}; expected one word"
            yield Finding(line, LEVEL, "sent_id", message)
        if sent_id in seen:
            message = f"sent_id {sent_id} is also that of the sentence at line {seen[sent_id]}"
            yield Finding(line, LEVEL, "sent_id", message)
        seen.setdefault(sent_id, line)
    texts = list(find_comments(block, "text"))
    if not texts:
        yield Finding(block.line, LEVEL, "text", "no comment '# text = …'", can_fix=True)
    for line, text in texts[:1]:
        if (tokens := join_tokens(block)) != text:
            message = f"text is {_short(text)!r}, but the tokens form {_short(tokens)!r}"
            yield Finding(line, LEVEL, "text", message)


def find_comments(block: SentenceBlock, name: str) -> Iterator[tuple[int, str]]:
    """Yield the line and value of each comment "# name = value"."""
    for line, comment in block.comments:
        key, sign, value = comment[1:].partition("=")
        if sign and key.strip() == name:
            yield line, value.strip()


def join_tokens(block: SentenceBlock) -> str:
    """Return the text of the forms, joined according to SpaceAfter=No.

    >>> word = "1\\tSpeak\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\tSpaceAfter=No"
    >>> join_tokens(SentenceBlock(1, [word, word.replace("1", "2").replace("Speak", "!")]))
    'Speak!'
    """
    pieces: list[str] = []
    last = 0  # word of the range
    for row in block.rows:
        if row.range is not None:
            last = row.range[1]
        elif not row.is_word or int(row.id) <= last:
            continue
        is_joined = "SpaceAfter=No" in row.misc.split("|")
        pieces.append(row.form + ("" if is_joined else " "))
    return "".join(pieces).strip()


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
