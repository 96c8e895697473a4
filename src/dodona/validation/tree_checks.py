"""Level 2: the heads form a tree with one root."""

from __future__ import annotations

from collections.abc import Iterator

from dodona.treebank.universal import universal_part
from dodona.validation.problems import Finding
from dodona.validation.sentence_blocks import ConlluRow, SentenceBlock

LEVEL = 2


def check_tree(block: SentenceBlock) -> Iterator[Finding]:
    """Check the heads of the words."""
    words = block.words
    ids = {int(row.id) for row in words}
    heads: dict[int, int] = {}
    for row in words:
        head = row.head
        if not (head.isascii() and head.isdecimal()):
            message = f"HEAD is {head!r}; expected the number of a word, or 0"
            yield Finding(row.line, LEVEL, "head", message)
        elif int(head) not in ids | {0}:
            message = f"HEAD is {head}, but the sentence has {len(words)} words"
            yield Finding(row.line, LEVEL, "head", message)
        else:
            heads[int(row.id)] = int(head)
            yield from _check_root_label(row)
    if len(heads) == len(words):
        yield from _check_roots(words, heads, block.line)
        yield from _check_cycles(words, heads)


def _check_root_label(row: ConlluRow) -> Iterator[Finding]:
    is_root = universal_part(row.deprel) == "root"
    if is_root and row.head != "0":
        yield Finding(row.line, LEVEL, "root", f"DEPREL is root, but HEAD is {row.head}")
    elif row.head == "0" and not is_root:
        message = f"HEAD is 0, but DEPREL is {row.deprel}; expected root"
        yield Finding(row.line, LEVEL, "root", message)


def _check_roots(words: list[ConlluRow], heads: dict[int, int], line: int) -> Iterator[Finding]:
    roots = [row for row in words if heads[int(row.id)] == 0]
    if not roots:
        yield Finding(line, LEVEL, "root", "no word has HEAD 0; expected one root")
    for row in roots[1:]:
        message = f"word {row.id} is another root, beside word {roots[0].id}"
        yield Finding(row.line, LEVEL, "root", message)


def _check_cycles(words: list[ConlluRow], heads: dict[int, int]) -> Iterator[Finding]:
    """Report each cycle once, at its first word."""
    lines = {int(row.id): row.line for row in words}
    seen: dict[int, int] = {}  # the word whose path to the root first reached it
    for start in heads:
        word = start
        while word and word not in seen:
            seen[word] = start
            word = heads[word]
        if word and seen[word] == start:
            cycle = [word]
            while heads[cycle[-1]] != word:
                cycle.append(heads[cycle[-1]])
            first = min(cycle)
            named = ", ".join(map(str, sorted(cycle)))
            message = (
                f"word {first} is its own head" if len(cycle) == 1 else f"a cycle: words {named}"
            )
            yield Finding(lines[first], LEVEL, "cycle", message)
