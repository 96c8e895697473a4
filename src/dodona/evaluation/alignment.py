"""Alignment of the words of two treebanks that segment the same text differently.

Positions count the characters of all sentences except white space. As in the CoNLL 2018 shared task
(Zeman et al. 2018), words are aligned if their tokens cover the same characters. The words of a
multiword token cover no characters of their own: they are aligned by their forms, over all words
that overlap the token, as a longest common subsequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias
from unicodedata import category

from dodona.evaluation.pairs import (
    EvaluationError,
    OnProgress,
    Parsed,
    ParsedSource,
    check_heads,
    conllu_lines,
    load,
    location,
)
from dodona.evaluation.scores import universal_features
from dodona.evaluation.tally import is_content
from dodona.treebank.universal import FUNCTIONAL, universal_part

ROOT = -1  # as a head; other heads are positions of words

CharRange: TypeAlias = tuple[int, int]
Fields: TypeAlias = list[str]  # the columns of one line
# Pairs of words around one multiword token that are compared: 2,000 words on either side, 1.6 s.
# Tokens of treebanks have some ten words at most.
MOST_PAIRS = 4_000_000


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
            for position, head in enumerate(sentence.heads, start=n_before):
                if head:
                    word = words[position]
                    word.head = n_before + head - 1
                    if word.deprel in FUNCTIONAL:
                        words[word.head].functions.append(position)
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
    split = (line.split("\t") for line in conllu_lines(sentence) if line[:1].isdigit())
    rows = (row for row in split if "." not in row[0])  # an empty node covers no characters
    for row in rows:
        first, dash, last = row[0].partition("-")
        yield row, list(islice(rows, int(last) - int(first) + 1)) if dash else []


def _without_space(form: str) -> str:
    return form if form.isalnum() else "".join(c for c in form if category(c) != "Zs")


def _word(span: CharRange, is_multiword: bool, form: str, row: Fields) -> PlacedWord:
    deprel = universal_part(row[7])
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


def align(gold: Sequence[PlacedWord], system: Sequence[PlacedWord]) -> list[tuple[int, int]]:
    """Return the pairs of positions of aligned words, in order."""
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        ours, theirs = gold[g], system[s]
        if ours.is_multiword or theirs.is_multiword:
            block = _block(gold, system, g, s)
            pairs += _same_forms(gold, system, *block)
            g, s = block[2:]
        elif ours.start == theirs.start and ours.end == theirs.end:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif ours.start <= theirs.start:
            g += 1
        else:
            s += 1
    return pairs


def _block(
    gold: Sequence[PlacedWord], system: Sequence[PlacedWord], g: int, s: int
) -> tuple[int, int, int, int]:
    """Return the first gold and system word that overlap the multiword token at `g` or `s`, and
    the ends of both ranges."""
    ours, theirs = gold[g], system[s]
    end = ours.end if ours.is_multiword else theirs.end
    # a single word that began before the multiword token does not belong to the block
    if not theirs.is_multiword and theirs.start < ours.start:
        s += 1
    elif not ours.is_multiword and ours.start < theirs.start:
        g += 1
    first = g, s
    while _is_within(gold, g, end) or _is_within(system, s, end):
        # in the order of the text, so that a multiword token may extend `end` for both sides
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.is_multiword:
            end = max(end, word.end)
    return *first, g, s


def _is_within(words: Sequence[PlacedWord], i: int, end: int) -> bool:
    """Return whether a word ends by `end` or, in a multiword token, begins before it."""
    if i >= len(words):
        return False
    return words[i].start < end if words[i].is_multiword else words[i].end <= end


def _same_forms(
    gold: Sequence[PlacedWord], system: Sequence[PlacedWord], g: int, s: int, g_end: int, s_end: int
) -> list[tuple[int, int]]:
    """Return the positions of a longest common subsequence of the forms in a block."""
    start, pairs = gold[g].start if g < len(gold) else 0, []
    while g < g_end and s < s_end and gold[g].form == system[s].form:
        pairs.append((g, s))
        g, s = g + 1, s + 1
    ours = [word.form for word in gold[g:g_end]]
    theirs = [word.form for word in system[s:s_end]]
    if len(ours) * len(theirs) > MOST_PAIRS:
        raise EvaluationError(
            f"a multiword token has {max(len(ours), len(theirs)):,} words, from character "
            f"{start + 1:,} of the text on: too many to align "
            f"(at most {MOST_PAIRS:,} pairs of gold and system words)"
        )
    # lengths of the longest common subsequences of ours[i:] and theirs[j:]
    lengths = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(theirs))):
            if ours[i] == theirs[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            pairs.append((g + i, s + j))
            i, j = i + 1, j + 1
        elif lengths[i][j] == lengths[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
