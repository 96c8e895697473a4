"""A treebank as one text: which of its characters each sentence, token and word stands for.

Positions count the characters of all sentences, white space left out. On them two treebanks of the
same text lie beside each other, however each splits it into sentences, tokens and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias
from unicodedata import category

from dodona.evaluation.breakdowns import is_content
from dodona.evaluation.pairs import EvaluationError, Progress, Treebank, check_heads, load, place
from dodona.evaluation.parsed import Parsed
from dodona.evaluation.tags import universal_features
from dodona.treebank.universal import FUNCTIONAL
from dodona.treebank.universal import universal_part as universal

ROOT = -1  # where other heads are positions of words

Span: TypeAlias = tuple[int, int]
Row: TypeAlias = list[str]  # the columns of one line


@dataclass(slots=True, eq=False)
class Word:
    """A word with what the CoNLL 2018 evaluation compares: universal relations and features."""

    start: int  # of its token, which it shares with the other words of a multiword token
    end: int
    is_multiword: bool  # whether its token is a multiword token
    form: str  # in lower case
    lemma: str
    upos: str
    xpos: str
    feats: list[str]
    deprel: str
    is_content: bool
    head: int  # a position in `Text.words`, or ROOT
    functions: list[int]  # positions of the function words that depend on it


@dataclass(frozen=True, slots=True)
class Text:
    """What `read_text` makes of a treebank."""

    name: str  # "gold" or "system", for messages
    source: list[Parsed]
    has_trees: bool
    characters: str
    sentences: list[Span]
    tokens: list[Span]
    words: list[Word]


def read_text(treebank: Treebank, name: str, progress: Progress | None = None) -> Text:
    """Lay out the sentences of a treebank one after the other, and check their trees."""
    source = load(treebank)
    if not source:
        raise EvaluationError(f"the {name} treebank has no sentences: there is nothing to evaluate")
    has_trees = any(head is not None for sentence in source for head in sentence.heads)
    forms: list[str] = []
    sentences: list[Span] = []
    tokens: list[Span] = []
    words: list[Word] = []
    end = 0
    for number, sentence in enumerate(source, start=1):
        begin, n_before = end, len(words)
        for row, word_rows in _tokens(sentence):
            form = _without_space(row[1])
            if not form:
                where = place(sentence, name, number, row[0])
                raise EvaluationError(f"{where}: the form of {row[0]} is white space only")
            span = end, end + len(form)
            end = span[1]
            forms.append(form)
            tokens.append(span)
            words += _words(span, form, row, word_rows)
        sentences.append((begin, end))
        if has_trees:
            _check_tree(sentence, name, number)
            _attach(words, n_before, sentence.heads)
        if progress is not None:
            progress(len(sentence.forms))
    return Text(name, source, has_trees, "".join(forms), sentences, tokens, words)


def place_at(text: Text, position: int) -> str:
    """`file:line` of the token with the character at this position, or of the text's end."""
    end = 0
    for number, sentence in enumerate(text.source, start=1):
        for row, _ in _tokens(sentence):
            end += len(_without_space(row[1]))
            if position < end:
                return place(sentence, text.name, number, row[0])
    return place(text.source[-1], text.name, len(text.source), "")


def _tokens(sentence: Parsed) -> Iterator[tuple[Row, list[Row]]]:
    """The line of each token and, for a multiword token, the lines of its words."""
    lines = str(sentence).removeprefix("\ufeff").split("\n")
    split = (line.split("\t") for line in lines if line[:1].isdigit())
    rows = (row for row in split if "." not in row[0])  # an empty node stands for no characters
    for row in rows:
        first, dash, last = row[0].partition("-")
        yield row, list(islice(rows, int(last) - int(first) + 1)) if dash else []


def _without_space(form: str) -> str:
    return form if form.isalnum() else "".join(c for c in form if category(c) != "Zs")


def _words(span: Span, form: str, row: Row, word_rows: list[Row]) -> list[Word]:
    if not word_rows:
        return [_word(span, False, form, row)]
    return [_word(span, True, found[1], found) for found in word_rows]


def _word(span: Span, is_multiword: bool, form: str, row: Row) -> Word:
    deprel = universal(row[7])
    return Word(
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


def _attach(words: list[Word], n_before: int, heads: Sequence[int | None]) -> None:
    """Give the words of one sentence, those after the first `n_before`, their heads."""
    for position, head in enumerate(heads, start=n_before):
        if head:
            word = words[position]
            word.head = n_before + head - 1
            if word.deprel in FUNCTIONAL:
                words[word.head].functions.append(position)


def _check_tree(sentence: Parsed, name: str, number: int) -> None:
    """Every word has a head, one of them the root, and none is its own ancestor."""
    check_heads(sentence, name, number)
    heads = list(sentence.heads)
    if None in heads:
        word = heads.index(None) + 1
        raise EvaluationError(
            f"{place(sentence, name, number, str(word))}: word {word} has no head; "
            "expected a tree over all words of a sentence, or no tree in the whole treebank"
        )
    if cycle := _cycle([head or 0 for head in heads]):
        raise EvaluationError(
            f"{place(sentence, name, number, str(cycle[0]))}: expected a tree, found a cycle: "
            f"{' ← '.join(map(str, [*cycle, cycle[0]]))}"
        )
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if len(roots) > 1:
        raise EvaluationError(
            f"{place(sentence, name, number, str(roots[1]))}: words {roots[0]} and {roots[1]} "
            "both have head 0; the CoNLL 2018 evaluation expects one root per sentence"
        )


def _cycle(heads: Sequence[int]) -> list[int]:
    """The first words that are their own ancestors, each followed by its head; empty in a tree."""
    came_from = [0] * (len(heads) + 1)  # the word whose path to the root first went through here
    for word in range(1, len(heads) + 1):
        node, path = word, []
        while node and not came_from[node]:
            came_from[node] = word
            path.append(node)
            node = heads[node - 1]
        if node and came_from[node] == word:
            return path[path.index(node) :]
    return []
