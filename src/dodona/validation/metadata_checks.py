"""Level 2: what the comments of a sentence say, and whether its tokens agree."""

from __future__ import annotations

from collections.abc import Iterator

from dodona.validation.blocks import FORM, MISC, Block
from dodona.validation.problems import Found

LEVEL = 2


def check_metadata(block: Block, seen: dict[str, int]) -> Iterator[Found]:
    """Each sentence has a text, and an id that no other has; `seen` has the lines of those."""
    ids = list(find_comments(block, "sent_id"))
    if not ids:
        yield Found(block.line, LEVEL, "sent_id", "no comment '# sent_id = …'", can_mend=True)
    for line, sent_id in ids[1:]:
        yield Found(line, LEVEL, "sent_id", f"a second id of the sentence: {sent_id}")
    for line, sent_id in ids[:1]:
        if not sent_id or any(map(str.isspace, sent_id)):
            said = f"sent_id is {sent_id!r}; expected one word"
            yield Found(line, LEVEL, "sent_id", said)
        if sent_id in seen:
            said = f"sent_id {sent_id} is that of the sentence at line {seen[sent_id]}, too"
            yield Found(line, LEVEL, "sent_id", said)
        seen.setdefault(sent_id, line)
    texts = list(find_comments(block, "text"))
    if not texts:
        yield Found(block.line, LEVEL, "text", "no comment '# text = …'", can_mend=True)
    for line, text in texts[:1]:
        if (tokens := join_tokens(block)) != text:
            said = f"text is {_short(text)!r}, but the tokens say {_short(tokens)!r}"
            yield Found(line, LEVEL, "text", said)


def find_comments(block: Block, name: str) -> Iterator[tuple[int, str]]:
    """Lines and values of "# name = value"."""
    for line, comment in block.comments:
        key, sign, value = comment[1:].partition("=")
        if sign and key.strip() == name:
            yield line, value.strip()


def join_tokens(block: Block) -> str:
    """The text that the forms and SpaceAfter=No say.

    >>> word = "1\\tSpeak\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\tSpaceAfter=No"
    >>> join_tokens(Block(1, [word, word.replace("1", "2").replace("Speak", "!")]))
    'Speak!'
    """
    pieces: list[str] = []
    last = 0  # word of the range
    for row in block.rows:
        if row.range is not None:
            last = row.range[1]
        elif not row.is_word or int(row.fields[0]) <= last:
            continue
        is_joined = "SpaceAfter=No" in row.fields[MISC].split("|")
        pieces.append(row.fields[FORM] + ("" if is_joined else " "))
    return "".join(pieces).strip()


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
