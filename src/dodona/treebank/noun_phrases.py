"""Noun phrases of a tree in Universal Dependencies: flat ones, as spaCy's noun chunks are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dodona.treebank.word import words

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence
    from dodona.treebank.word import Word

HEADS = frozenset({"NOUN", "PROPN", "PRON"})
PARTS = frozenset({"flat", "fixed", "compound", "goeswith"})  # of a name: no phrase of their own
BEFORE = PARTS | {"det", "amod", "nummod", "nmod:poss", "clf", "det:poss", "advmod"}
AFTER = PARTS


def noun_phrases(sentence: Sentence) -> list[list[Word]]:
    """The phrases, from left to right; one within another is left out."""
    all_words = words(sentence)
    spans = [_span(word) for word in all_words if _begins_phrase(word)]
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not found or first > found[-1][1]:
            found.append((first, last))
    return [all_words[first - 1 : last] for first, last in found]


def _begins_phrase(word: Word) -> bool:
    return word.upos in HEADS and _base(word.deprel) not in PARTS


def _span(word: Word) -> tuple[int, int]:
    """The first and the last word of the phrase around its head."""
    first = last = word.id
    for child in reversed(word.left_children):
        below = child.subtree
        if not _is_in(child, BEFORE) or below[-1].id != first - 1 or not _is_whole(below):
            break
        first = below[0].id
    for child in word.right_children:
        below = child.subtree
        if not _is_in(child, AFTER) or below[0].id != last + 1 or not _is_whole(below):
            break
        last = below[-1].id
    return first, last


def _is_in(word: Word, labels: frozenset[str]) -> bool:
    return word.deprel in labels or _base(word.deprel) in labels


def _is_whole(below: list[Word]) -> bool:
    """Whether nothing of others stands between these words."""
    return below[-1].id - below[0].id + 1 == len(below)


def _base(label: str) -> str:
    return label.partition(":")[0]
