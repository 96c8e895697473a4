"""Level 3: the guidelines for trees of all languages, as warnings."""

from __future__ import annotations

from collections.abc import Iterator

from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.universal import universal_part
from dodona.validation.problems import Finding
from dodona.validation.sentence_blocks import ConlluRow, SentenceBlock

LEVEL = 3
LEFT_TO_RIGHT = ("conj", "fixed", "flat", "goeswith", "appos")
LEAVES = ("punct", "fixed", "goeswith")
ALLOWED_UNDER_LEAVES = ("punct", "reparandum", "goeswith", "fixed", "conj", "cc")


def check_guidelines(block: SentenceBlock) -> Iterator[Finding]:
    """Check directions, leaves and punctuation of a valid tree."""
    words = block.words
    heads = [int(row.head) for row in words]
    relations = [universal_part(row.deprel) for row in words]
    for row, head, relation in zip(words, heads, relations, strict=True):
        if relation in LEFT_TO_RIGHT and head > int(row.id):
            yield _warn(row, "direction", f"{relation} from right to left")
        if head and relations[head - 1] in LEAVES and relation not in ALLOWED_UNDER_LEAVES:
            yield _warn(
                row, "leaf", f"{relation} depends on word {head}, a leaf ({relations[head - 1]})"
            )
        if (relation == "punct") != (row.upos == "PUNCT") and relation != "root":
            if relation == "punct":
                yield _warn(row, "punct", f"relation punct, but UPOS {row.upos}")
            elif row.upos == "PUNCT":
                yield _warn(row, "punct", f"UPOS PUNCT, but relation {relation}")
    yield from _check_punctuation(words, heads, relations)


def _check_punctuation(
    words: list[ConlluRow], heads: list[int], relations: list[str]
) -> Iterator[Finding]:
    """Check that punctuation is attached projectively and makes no other arc non-projective."""
    for i in [word - 1 for word in nonprojective_arcs(heads)]:
        row, head = words[i], heads[i]
        between = range(min(head, i + 1) + 1, max(head, i + 1))
        strangers = [word for word in between if head not in _ancestors(word, heads)]
        if relations[i] == "punct" and strangers:
            message = f"punctuation is attached non-projectively over word {strangers[0]}"
            yield _warn(row, "punct-nonprojective", message)
        elif strangers and all(relations[word - 1] == "punct" for word in strangers):
            # the only words in between that do not descend from the head are punctuation
            message = f"punctuation (word {strangers[0]}) makes this arc non-projective"
            yield _warn(row, "punct-nonprojective", message)


def _ancestors(word: int, heads: list[int]) -> set[int]:
    found: set[int] = set()
    while word and (word := heads[word - 1]) not in found:
        found.add(word)
    return found


def _warn(row: ConlluRow, kind: str, message: str) -> Finding:
    return Finding(row.line, LEVEL, kind, message, is_warning=True)
