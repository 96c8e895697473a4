"""Validation and fixing of whole files."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain

from dodona.treebank.conllu.files import Source, open_input
from dodona.validation.column_checks import check_columns
from dodona.validation.fixing import fix_blocks
from dodona.validation.format_checks import check_format
from dodona.validation.guideline_checks import check_guidelines
from dodona.validation.metadata_checks import check_metadata, find_comments
from dodona.validation.problems import Finding, Problem
from dodona.validation.sentence_blocks import MARK, SentenceBlock, split_blocks
from dodona.validation.tree_checks import check_tree

LEVELS = (1, 2, 3)


def validate(source: Source, *, level: int = 3) -> list[Problem]:
    """Return all problems of a file up to a level, sorted by line.

    >>> from io import BytesIO
    >>> found = validate(BytesIO(b"1\\tOaks\\t_\\tFOO\\t_\\tCase\\t0\\troot\\t_\\t_\\n\\n"))
    >>> [problem.kind for problem in found]
    ['sent_id', 'text', 'upos', 'feats']
    """
    if level not in LEVELS:
        raise ValueError(f"level={level!r}: expected 1, 2 or 3")
    file, name, is_ours = open_input(source)
    try:
        data = file.read()
    finally:
        if is_ours:
            file.close()
    return validate_bytes(data, name, level)


def validate_bytes(data: bytes, name: str = "<memory>", level: int = 3) -> list[Problem]:
    """Return all problems of the content of a file up to a level, sorted by line."""
    lines, problems = _decode(data)
    seen: dict[str, int] = {}
    found = chain(problems, *(_check(block, seen, level) for block in split_blocks(lines)))
    return sorted(
        (Problem(name, *each) for each in dict.fromkeys(found)), key=lambda p: (p.line, p.level)
    )


def fix_bytes(data: bytes) -> bytes:
    """Apply all safe fixes to the content of a file; one that is not UTF-8 stays unchanged.

    >>> fix_bytes(b"1\\tOak\\t\\tNOUN\\t_\\t_\\t0\\troot\\t_\\t_\\r\\n").decode().split("\\n")[2]
    '1\\tOak\\t_\\tNOUN\\t_\\t_\\t0\\troot\\t_\\t_'
    """
    lines, problems = _decode(data)
    if any(problem.kind == "utf-8" for problem in problems):
        return data
    blocks = list(split_blocks(lines))
    taken = {sent_id for block in blocks for _, sent_id in find_comments(block, "sent_id")}
    return "".join(f"{line}\n" for line in fix_blocks(iter(blocks), taken)).encode()


def _check(block: SentenceBlock, seen: dict[str, int], level: int) -> Iterator[Finding]:
    broken = list(check_format(block))
    yield from broken
    if level >= 2 and block.words:
        yield from check_metadata(block, seen)
        yield from check_columns(block)
        if not any(problem.kind in ("id", "columns") for problem in broken):
            no_tree = list(check_tree(block))
            yield from no_tree
            if level >= 3 and not no_tree:
                yield from check_guidelines(block)


def _decode(data: bytes) -> tuple[list[str], list[Finding]]:
    """Return the lines of a file without line ends, and the problems of encoding and line ends."""
    problems = []
    if data.startswith(codecs.BOM_UTF8):
        problems.append(Finding(1, 1, "mark", "a byte order mark; expected none", can_fix=True))
        data = data[len(codecs.BOM_UTF8) :]
    if data and not data.endswith(b"\n"):
        n_lines = data.count(b"\n") + 1
        problems.append(
            Finding(n_lines, 1, "end", "no line end at the end of the file", can_fix=True)
        )
        data += b"\n"
    lines = data.split(b"\n")[:-1]
    problems += _check_ends(lines)
    texts = []
    for number, line in enumerate(lines, start=1):
        try:
            texts.append(line.removesuffix(b"\r").decode())
        except UnicodeDecodeError as error:
            message = f"byte 0x{line[error.start]:02x} at byte {error.start + 1} is not UTF-8"
            problems.append(Finding(number, 1, "utf-8", message))
            texts.append(line.removesuffix(b"\r").decode(errors="replace"))
    assert not texts or not texts[0].startswith(MARK * 2)
    return texts, problems


def _check_ends(lines: list[bytes]) -> Iterator[Finding]:
    """Check for Unix line ends and one blank line after each sentence."""
    if any(line.endswith(b"\r") for line in lines):
        number = next(n for n, line in enumerate(lines, start=1) if line.endswith(b"\r"))
        yield Finding(number, 1, "line-end", "lines end in CR LF; expected LF", can_fix=True)
    is_blank = True
    for number, line in enumerate(lines, start=1):
        was_blank, is_blank = is_blank, not line.strip()
        if is_blank and line.strip(b"\r"):
            message = "a line of white space only; expected it to be empty"
            yield Finding(number, 1, "white-space", message, can_fix=True)
        if is_blank and was_blank:
            yield Finding(number, 1, "blank", "a superfluous blank line", can_fix=True)
    if not is_blank:
        message = "no blank line after the last sentence"
        yield Finding(len(lines), 1, "blank", message, can_fix=True)
