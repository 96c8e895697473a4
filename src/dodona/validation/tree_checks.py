"""Level 2: the heads form a tree with one root. Level 3: the guidelines for trees, as warnings."""

from __future__ import annotations

from collections.abc import Iterator

from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.universal import universal_part
from dodona.validation.sentence_blocks import ConlluRow, Problem, SentenceBlock, finding

LEFT_TO_RIGHT = ("conj", "fixed", "flat", "goeswith", "appos")
LEAVES = ("punct", "fixed", "goeswith")
ALLOWED_UNDER_LEAVES = ("punct", "reparandum", "goeswith", "fixed", "conj", "cc")


def check_tree(block: SentenceBlock) -> Iterator[Problem]:
    """Check the heads of the words."""
    words = block.words
    ids = {int(row.id) for row in words}
    heads: dict[int, int] = {}
    for row in words:
        head = row.head
        if not (head.isascii() and head.isdecimal()):
            yield row.finding(2, "head", f"HEAD is {head!r}; expected the number of a word, or 0")
        elif int(head) not in ids | {0}:
            yield row.finding(2, "head", f"HEAD is {head}, but the sentence has {len(words)} words")
        else:
            heads[int(row.id)] = int(head)
            yield from _check_root_label(row)
    if len(heads) == len(words):
        yield from _check_roots(words, heads, block.line)
        yield from _check_cycles(words, heads)


def _check_root_label(row: ConlluRow) -> Iterator[Problem]:
    is_root = universal_part(row.deprel) == "root"
    if is_root and row.head != "0":
        yield row.finding(2, "root", f"DEPREL is root, but HEAD is {row.head}")
    elif row.head == "0" and not is_root:
        yield row.finding(2, "root", f"HEAD is 0, but DEPREL is {row.deprel}; expected root")


def _check_roots(words: list[ConlluRow], heads: dict[int, int], line: int) -> Iterator[Problem]:
    roots = [row for row in words if heads[int(row.id)] == 0]
    if not roots:
        yield finding(line, 2, "root", "no word has HEAD 0; expected one root")
    for row in roots[1:]:
        yield row.finding(2, "root", f"word {row.id} is another root, beside word {roots[0].id}")


def _check_cycles(words: list[ConlluRow], heads: dict[int, int]) -> Iterator[Problem]:
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
            yield finding(lines[first], 2, "cycle", message)


def check_guidelines(block: SentenceBlock) -> Iterator[Problem]:
    """Check directions, leaves and punctuation of a valid tree."""
    words = block.words
    heads = [int(row.head) for row in words]
    relations = [universal_part(row.deprel) for row in words]
    for row, head, relation in zip(words, heads, relations, strict=True):
        if relation in LEFT_TO_RIGHT and head > int(row.id):
            yield row.finding(3, "direction", f"{relation} from right to left")
        if head and relations[head - 1] in LEAVES and relation not in ALLOWED_UNDER_LEAVES:
            yield row.finding(
                3, "leaf", f"{relation} depends on word {head}, a leaf ({relations[head - 1]})"
            )
        if (relation == "punct") != (row.upos == "PUNCT") and relation != "root":
            if relation == "punct":
                yield row.finding(3, "punct", f"relation punct, but UPOS {row.upos}")
            elif row.upos == "PUNCT":
                yield row.finding(3, "punct", f"UPOS PUNCT, but relation {relation}")
    yield from _check_punctuation(words, heads, relations)


def _check_punctuation(
    words: list[ConlluRow], heads: list[int], relations: list[str]
) -> Iterator[Problem]:
    """Check that punctuation is attached projectively and makes no other arc non-projective."""
    for i in [word - 1 for word in nonprojective_arcs(heads)]:
        row, head = words[i], heads[i]
        between = range(min(head, i + 1) + 1, max(head, i + 1))
        strangers = [word for word in between if head not in _ancestors(word, heads)]
        if relations[i] == "punct" and strangers:
            message = f"punctuation is attached non-projectively over word {strangers[0]}"
            yield row.finding(3, "punct-nonprojective", message)
        elif strangers and all(relations[word - 1] == "punct" for word in strangers):
            # the only words in between that do not descend from the head are punctuation
            message = f"punctuation (word {strangers[0]}) makes this arc non-projective"
            yield row.finding(3, "punct-nonprojective", message)


def _ancestors(word: int, heads: list[int]) -> set[int]:
    found: set[int] = set()
    while word and (word := heads[word - 1]) not in found:
        found.add(word)
    return found
