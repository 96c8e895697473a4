"""Level 2, sentence by sentence: heads that form a tree with one root."""

from __future__ import annotations

from collections.abc import Iterator

from dodona.treebank.universal import universal_part
from dodona.validation.blocks import DEPREL, HEAD, ID, Block, Row
from dodona.validation.problems import Found

LEVEL = 2


def check_tree(block: Block) -> Iterator[Found]:
    """What is wrong with the heads of the words."""
    words = block.words
    ids = {int(row.fields[ID]) for row in words}
    heads: dict[int, int] = {}
    for row in words:
        head = row.fields[HEAD]
        if not (head.isascii() and head.isdecimal()):
            said = f"HEAD is {head!r}; expected the number of a word, or 0"
            yield Found(row.line, LEVEL, "head", said)
        elif int(head) not in ids | {0}:
            said = f"HEAD is {head}, but the sentence has {len(words)} words"
            yield Found(row.line, LEVEL, "head", said)
        else:
            heads[int(row.fields[ID])] = int(head)
            yield from _check_root_label(row)
    if len(heads) == len(words):
        yield from _check_roots(words, heads, block.line)
        yield from _check_cycles(words, heads)


def _check_root_label(row: Row) -> Iterator[Found]:
    is_root = universal_part(row.fields[DEPREL]) == "root"
    if is_root and row.fields[HEAD] != "0":
        yield Found(row.line, LEVEL, "root", f"DEPREL is root, but HEAD is {row.fields[HEAD]}")
    elif row.fields[HEAD] == "0" and not is_root:
        said = f"HEAD is 0, but DEPREL is {row.fields[DEPREL]}; expected root"
        yield Found(row.line, LEVEL, "root", said)


def _check_roots(words: list[Row], heads: dict[int, int], line: int) -> Iterator[Found]:
    roots = [row for row in words if heads[int(row.fields[ID])] == 0]
    if not roots:
        yield Found(line, LEVEL, "root", "no word has HEAD 0; expected one root")
    for row in roots[1:]:
        said = f"word {row.fields[ID]} is another root, beside word {roots[0].fields[ID]}"
        yield Found(row.line, LEVEL, "root", said)


def _check_cycles(words: list[Row], heads: dict[int, int]) -> Iterator[Found]:
    """Each cycle once, at its first word."""
    lines = {int(row.fields[ID]): row.line for row in words}
    seen: dict[int, int] = {}  # the word whose way up came by
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
            said = f"word {first} is its own head" if len(cycle) == 1 else f"a cycle: words {named}"
            yield Found(lines[first], LEVEL, "cycle", said)
