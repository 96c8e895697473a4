"""Validation of whole files, and safe fixes, by which nothing is lost and nothing is guessed.

Fixes concern line ends, byte order marks, blank lines, white space around fields, empty fields,
normalisation of characters, the order of features and of enhanced arcs, and comments that follow
from the rest.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain, count
from unicodedata import normalize

from dodona.treebank.conllu.files import Source, open_input
from dodona.validation.column_checks import (
    arc_key,
    check_columns,
    check_format,
    check_metadata,
    find_comments,
    join_tokens,
)
from dodona.validation.sentence_blocks import (
    NAMES,
    ConlluRow,
    Problem,
    SentenceBlock,
    finding,
    split_blocks,
)
from dodona.validation.tree_checks import check_guidelines, check_tree

LEVELS = (1, 2, 3)


def fix_blocks(blocks: Iterator[SentenceBlock], taken: set[str]) -> Iterator[str]:
    """Yield the fixed lines of all sentences, with a blank line after each.

    `taken` are the ids in the file; sentences without an id are numbered.
    """
    for number, block in enumerate(blocks, start=1):
        fixed = SentenceBlock(1, [_fix_line(line) for line in block.lines])
        yield from _new_comments(fixed, number, taken)
        yield from fixed.lines
        yield ""


def _fix_line(line: str) -> str:
    line = normalize("NFC", line)
    fields = line.split("\t")
    if line.startswith("#") or len(fields) != len(NAMES):
        return line.rstrip() if line.startswith("#") else line
    fields = [fields[0].strip() or fields[0], *(field.strip() or "_" for field in fields[1:])]
    row = ConlluRow(0, *fields)
    row = row._replace(misc=fix_misc(row.misc))
    if row.range is None:
        row = row._replace(feats=fix_features(row.feats), deps=fix_graph(row.deps))
    return "\t".join(row[1:])


def fix_features(features: str) -> str:
    """Return the features sorted and without duplicates, with sorted values.

    >>> fix_features("Number=Sing|Case=Nom,Acc|Number=Sing")
    'Case=Acc,Nom|Number=Sing'
    """
    if features == "_":
        return features
    parts = []
    for feature in dict.fromkeys(filter(None, features.split("|"))):
        name, sign, values = feature.partition("=")
        parts.append(name + sign + ",".join(sorted(set(values.split(",")), key=str.lower)))
    return "|".join(sorted(dict.fromkeys(parts), key=lambda p: p.partition("=")[0].lower())) or "_"


def fix_graph(arcs: str) -> str:
    """Return the enhanced arcs sorted and without duplicates; unchanged if one is invalid.

    >>> fix_graph("10:obj|2:nsubj|2:nsubj")
    '2:nsubj|10:obj'
    """
    try:
        return "|".join(sorted(set(arcs.split("|")), key=arc_key)) if arcs != "_" else arcs
    except ValueError:
        return arcs


def fix_misc(misc: str) -> str:
    """Return MISC without empty parts and without the default SpaceAfter=Yes.

    >>> fix_misc("Gloss=oak||SpaceAfter=Yes"), fix_misc("SpaceAfter=Yes")
    ('Gloss=oak', '_')
    """
    parts = [part for part in misc.split("|") if part]
    spaces = [part for part in parts if part.startswith("SpaceAfter=")]
    if spaces == ["SpaceAfter=Yes"]:
        parts.remove("SpaceAfter=Yes")
    return "|".join(parts) or "_"


def _new_comments(block: SentenceBlock, number: int, taken: set[str]) -> Iterator[str]:
    """Yield the comments for an id and a text if they are missing."""
    if next(find_comments(block, "sent_id"), None) is None and block.words:
        names = chain([f"s{number}"], (f"s{number}-{more}" for more in count(2)))
        sent_id = next(name for name in names if name not in taken)
        taken.add(sent_id)
        yield f"# sent_id = {sent_id}"
    if next(find_comments(block, "text"), None) is None and block.words:
        yield f"# text = {join_tokens(block)}"


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
        (each._replace(source=name) for each in dict.fromkeys(found)),
        key=lambda p: (p.line, p.level),
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


def _check(block: SentenceBlock, seen: dict[str, int], level: int) -> Iterator[Problem]:
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


def _decode(data: bytes) -> tuple[list[str], list[Problem]]:
    """Return the lines of a file without line ends, and the problems of encoding and line ends."""
    problems = []
    if data.startswith(codecs.BOM_UTF8):
        problems.append(finding(1, 1, "mark", "a byte order mark; expected none", can_fix=True))
        data = data[len(codecs.BOM_UTF8) :]
    if data and not data.endswith(b"\n"):
        n_lines = data.count(b"\n") + 1
        problems.append(
            finding(n_lines, 1, "end", "no line end at the end of the file", can_fix=True)
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
            problems.append(finding(number, 1, "utf-8", message))
            texts.append(line.removesuffix(b"\r").decode(errors="replace"))
    return texts, problems


def _check_ends(lines: list[bytes]) -> Iterator[Problem]:
    """Check for Unix line ends and one blank line after each sentence."""
    if any(line.endswith(b"\r") for line in lines):
        number = next(n for n, line in enumerate(lines, start=1) if line.endswith(b"\r"))
        yield finding(number, 1, "line-end", "lines end in CR LF; expected LF", can_fix=True)
    is_blank = True
    for number, line in enumerate(lines, start=1):
        was_blank, is_blank = is_blank, not line.strip()
        if is_blank and line.strip(b"\r"):
            message = "a line of white space only; expected it to be empty"
            yield finding(number, 1, "white-space", message, can_fix=True)
        if is_blank and was_blank:
            yield finding(number, 1, "blank", "a superfluous blank line", can_fix=True)
    if not is_blank:
        message = "no blank line after the last sentence"
        yield finding(len(lines), 1, "blank", message, can_fix=True)
