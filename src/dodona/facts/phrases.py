"""The phrase of a word: what belongs to it without clauses and conjuncts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dodona.treebank.span import Span
from dodona.treebank.word_index import WordIndex

if TYPE_CHECKING:
    from dodona.treebank.word import Word

APART = frozenset(
    {"cc", "conj", "appos", "parataxis", "punct", "case", "mark", "advcl", "discourse"}
)
APART_FROM_NOUNS = frozenset({"acl", "nsubj", "csubj", "cop", "aux"})


def phrase_of(word: Word) -> Span:
    """Return the words around a word that depend on it, as a span of its sentence.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(
    ...     ["Old", "oaks", "and", "elms"], heads=[2, 0, 4, 2],
    ...     deprels=["amod", "root", "cc", "conj"])
    >>> phrase_of(oaks[1])
    <Span 'Old oaks'>
    """
    is_clause = word.upos in ("VERB", "AUX")
    kept = {word.id}
    for child in word.children:
        label = child.deprel.partition(":")[0]
        is_apart = label in APART or (not is_clause and label in APART_FROM_NOUNS)
        if not is_apart or (is_clause and label == "mark"):
            kept |= {child.id, *(below.id for below in child.subtree)}
    first = last = word.id
    while first - 1 in kept:
        first -= 1
    while last + 1 in kept:
        last += 1
    return Span(WordIndex([word.sentence]), first - 1, last)
