"""Level 3: what the guidelines ask of trees in every language; all are warnings."""

from __future__ import annotations

from collections.abc import Iterator

from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.universal import universal_part
from dodona.validation.blocks import DEPREL, HEAD, ID, UPOS, Block, Row
from dodona.validation.problems import Found

LEVEL = 3
LEFT_TO_RIGHT = ("conj", "fixed", "flat", "goeswith", "appos")
LEAVES = ("punct", "fixed", "goeswith")
MAY_HANG_ON_LEAVES = ("punct", "reparandum", "goeswith", "fixed", "conj", "cc")


def check_guidelines(block: Block) -> Iterator[Found]:
    """Directions, leaves and punctuation of a tree, which it must be."""
    words = block.words
    heads = [int(row.fields[HEAD]) for row in words]
    relations = [universal_part(row.fields[DEPREL]) for row in words]
    for row, head, relation in zip(words, heads, relations, strict=True):
        if relation in LEFT_TO_RIGHT and head > int(row.fields[ID]):
            yield _warn(row, "direction", f"{relation} from right to left")
        if head and relations[head - 1] in LEAVES and relation not in MAY_HANG_ON_LEAVES:
            yield _warn(row, "leaf", f"{relation} hangs on word {head}, {relations[head - 1]}")
        if (relation == "punct") != (row.fields[UPOS] == "PUNCT") and relation != "root":
            if relation == "punct":
                yield _warn(row, "punct", f"relation punct, but UPOS {row.fields[UPOS]}")
            elif row.fields[UPOS] == "PUNCT":
                yield _warn(row, "punct", f"UPOS PUNCT, but relation {relation}")
    yield from _check_punctuation(words, heads, relations)


def _check_punctuation(words: list[Row], heads: list[int], relations: list[str]) -> Iterator[Found]:
    """Punctuation hangs projectively, and does not make others hang otherwise."""
    for i in [word - 1 for word in nonprojective_arcs(heads)]:
        row, head = words[i], heads[i]
        between = range(min(head, i + 1) + 1, max(head, i + 1))
        strangers = [word for word in between if head not in _ancestors(word, heads)]
        if relations[i] == "punct" and strangers:
            said = f"punctuation hangs non-projectively over word {strangers[0]}"
            yield _warn(row, "punct-nonprojective", said)
        elif strangers and all(relations[word - 1] == "punct" for word in strangers):
            # all that is in the way is punctuation, hung from outside
            said = f"punctuation (word {strangers[0]}) makes this arc non-projective"
            yield _warn(row, "punct-nonprojective", said)


def _ancestors(word: int, heads: list[int]) -> set[int]:
    found: set[int] = set()
    while word and (word := heads[word - 1]) not in found:
        found.add(word)
    return found


def _warn(row: Row, kind: str, said: str) -> Found:
    return Found(row.line, LEVEL, kind, said, is_warning=True)
