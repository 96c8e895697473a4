"""Character positions of the sentences, tokens and words of a treebank.

Positions count the characters of all sentences except white space, so that two treebanks of the
same text can be compared, however each splits it into sentences, tokens and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias
from unicodedata import category

from dodona.evaluation.breakdowns import is_content
from dodona.evaluation.pairs import (
    EvaluationError,
    OnProgress,
    ParsedSource,
    check_heads,
    load,
    location,
)
from dodona.evaluation.parsed import Parsed
from dodona.evaluation.tag_accuracy import universal_features
from dodona.treebank.universal import FUNCTIONAL
from dodona.treebank.universal import universal_part as universal

ROOT = -1  # as a head; other heads are positions of words

CharRange: TypeAlias = tuple[int, int]
Fields: TypeAlias = list[str]  # the columns of one line


@dataclass(slots=True, eq=False)
class PlacedWord:
    """A word with its position and what the CoNLL 2018 evaluation compares."""

    start: int  # of its token, shared by the words of a multiword token
    end: int
    is_multiword: bool  # whether its token is a multiword token
    form: str  # in lower case
    lemma: str
    upos: str
    xpos: str
    feats: list[str]  # universal features
    deprel: str  # universal relation
    is_content: bool
    head: int  # a position in `PlacedText.words`, or ROOT
    functions: list[int]  # positions of the function words that depend on it


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A treebank as one text, with the positions of its units."""

    name: str  # "gold" or "system", for messages
    source: list[Parsed]
    has_trees: bool
    characters: str
    sentences: list[CharRange]
    tokens: list[CharRange]
    words: list[PlacedWord]


def read_text(treebank: ParsedSource, name: str, progress: OnProgress | None = None) -> PlacedText:
    """Compute the positions of a treebank's sentences, tokens and words, and check its trees."""
    source = load(treebank)
    if not source:
        raise EvaluationError(f"the {name} treebank has no sentences: there is nothing to evaluate")
    has_trees = any(head is not None for sentence in source for head in sentence.heads)
    forms: list[str] = []
    sentences: list[CharRange] = []
    tokens: list[CharRange] = []
    words: list[PlacedWord] = []
    end = 0
    for number, sentence in enumerate(source, start=1):
        begin, n_before = end, len(words)
        for row, word_rows in _tokens(sentence):
            form = _without_space(row[1])
            if not form:
                where = location(sentence, name, number, row[0])
                raise EvaluationError(f"{where}: the form of {row[0]} is white space only")
            span = end, end + len(form)
            end = span[1]
            forms.append(form)
            tokens.append(span)
            if word_rows:
                words += (_word(span, True, found[1], found) for found in word_rows)
            else:
                words.append(_word(span, False, form, row))
        sentences.append((begin, end))
        if has_trees:
            _check_tree(sentence, name, number)
            _attach(words, n_before, sentence.heads)
        if progress is not None:
            progress(len(sentence.forms))
    return PlacedText(name, source, has_trees, "".join(forms), sentences, tokens, words)


def location_at(text: PlacedText, position: int) -> str:
    """Return `file:line` of the token at this position, or of the end of the text."""
    end = 0
    for number, sentence in enumerate(text.source, start=1):
        for row, _ in _tokens(sentence):
            end += len(_without_space(row[1]))
            if position < end:
                return location(sentence, text.name, number, row[0])
    return location(text.source[-1], text.name, len(text.source), "")


def _tokens(sentence: Parsed) -> Iterator[tuple[Fields, list[Fields]]]:
    """Yield the fields of each token and, for a multiword token, of each of its words."""
    lines = str(sentence).removeprefix("\ufeff").split("\n")
    split = (line.split("\t") for line in lines if line[:1].isdigit())
    rows = (row for row in split if "." not in row[0])  # an empty node covers no characters
    for row in rows:
        first, dash, last = row[0].partition("-")
        yield row, list(islice(rows, int(last) - int(first) + 1)) if dash else []


def _without_space(form: str) -> str:
    return form if form.isalnum() else "".join(c for c in form if category(c) != "Zs")


def _word(span: CharRange, is_multiword: bool, form: str, row: Fields) -> PlacedWord:
    deprel = universal(row[7])
    return PlacedWord(
        *span,
        is_multiword,
        form.lower(),
        lemma=row[2],
        upos=row[3],
        xpos=row[4],
        feats=universal_features(row[5]),
        deprel=deprel,
        is_content=is_content(deprel),
        head=ROOT,
        functions=[],
    )


def _attach(words: list[PlacedWord], n_before: int, heads: Sequence[int | None]) -> None:
    """Set the heads of the words of one sentence, which follow the first `n_before`."""
    for position, head in enumerate(heads, start=n_before):
        if head:
            word = words[position]
            word.head = n_before + head - 1
            if word.deprel in FUNCTIONAL:
                words[word.head].functions.append(position)


def _check_tree(sentence: Parsed, name: str, number: int) -> None:
    """Check that every word has a head, and that there are one root and no cycle."""
    check_heads(sentence, name, number)
    heads = list(sentence.heads)
    if None in heads:
        word = heads.index(None) + 1
        raise EvaluationError(
            f"{location(sentence, name, number, str(word))}: word {word} has no head; "
            "expected a tree over all words of a sentence, or no tree in the whole treebank"
        )
    if cycle := _cycle([head or 0 for head in heads]):
        raise EvaluationError(
            f"{location(sentence, name, number, str(cycle[0]))}: expected a tree, found a cycle: "
            f"{' ← '.join(map(str, [*cycle, cycle[0]]))}"
        )
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if len(roots) > 1:
        raise EvaluationError(
            f"{location(sentence, name, number, str(roots[1]))}: words {roots[0]} and {roots[1]} "
            "both have head 0; the CoNLL 2018 evaluation expects one root per sentence"
        )


def _cycle(heads: Sequence[int]) -> list[int]:
    """Return the words of the first cycle, each followed by its head; empty if there is none."""
    came_from = [0] * (len(heads) + 1)  # the word whose path to the root first reached this one
    for word in range(1, len(heads) + 1):
        node, path = word, []
        while node and not came_from[node]:
            came_from[node] = word
            path.append(node)
            node = heads[node - 1]
        if node and came_from[node] == word:
            return path[path.index(node) :]
    return []
