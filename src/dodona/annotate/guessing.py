"""Guesses: the parser fills in what nobody has decided, around what somebody has."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import combinations

from dodona.annotate.editing import ROOT_LABEL
from dodona.annotate.errors import AnnotateError
from dodona.annotate.marks import (
    ARC,
    GUESSED,
    HEAD_ONLY,
    has_own_arc,
    has_own_label,
    mark_of,
    own_tags,
    set_mark,
    set_own_tags,
)
from dodona.annotate.rows import BLANK, DEPREL, TAGS, UPOS, Row, Rows
from dodona.models import locate
from dodona.parsing.given import Given, GivenError
from dodona.parsing.parser import Parser
from dodona.treebank.sentence import Sentence

Confidences = dict[int, float]  # by word, of those that are guessed
_COLUMNS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"}


def load_parser(model: str) -> Parser:
    """Load a parser by name or path; refuse one that needs what a sentence may not have yet."""
    parser = Parser.load(locate(model))
    if parser.needs_tags:
        raise AnnotateError(
            f"{model}: this model was trained on gold tags and cannot tag by itself; train one "
            "with --tags predicted"
        )
    if parser.system.builds_graphs:
        raise AnnotateError(f"{model}: this model builds graphs; the workbench needs trees")
    return parser


def fill(rows: Rows, parser: Parser | None) -> Confidences:
    """Guess the arcs and tags that nobody has decided; return how sure the parser is of arcs.

    Without a parser, guesses stay as they are.
    """
    words = rows.words
    free = [i for i, row in enumerate(words, 1) if not has_own_label(row)]
    names = _guessed_columns(parser)
    untagged = any(names - own_tags(row) for row in words)
    if parser is None or not (free or untagged):
        return {}
    parsed = _parse(parser, _stripped(rows, words), _given(words))
    for row, word in zip(words, parsed.words, strict=True):
        _take_tags(row, names, word.lemma, word.upos, word.xpos, word.feats)
        _take_arc(row, word.head, word.deprel)
    sure = {}
    for i in free:
        word = parsed[i - 1]
        both = (word.confidence, word.deprel_confidence)
        sure[i] = (1.0 if both[0] is None else both[0]) * (1.0 if both[1] is None else both[1])
    return sure


def expected_errors(sure: Confidences) -> float:
    """Return the share of errors to expect among the words whose arcs are guessed.

    >>> expected_errors({1: 1.0, 4: 0.5})
    0.25
    """
    return sum(1 - each for each in sure.values()) / max(len(sure), 1)


def _guessed_columns(parser: Parser | None) -> frozenset[str]:
    if parser is None or parser.tagger is None:
        return frozenset()
    return frozenset(parser.tagger.columns) & {*TAGS}


def _stripped(rows: Rows, words: list[Row]) -> Sentence:
    """Return the sentence without its tree, and without the tags that are guessed.

    A parser keeps a column of tags as a whole or not at all.
    """
    sentence = rows.sentence()
    blank = [BLANK] * len(words)
    decided = frozenset(TAGS).intersection(*map(own_tags, words))
    columns = {_COLUMNS[name]: blank for name in TAGS if name not in decided}
    return sentence.replace(heads=[None] * len(words), deprels=blank, **columns)


def _given(words: list[Row]) -> Given:
    rows = [*enumerate(words, 1)]
    heads = {i: row.head for i, row in rows if has_own_arc(row) and row.head is not None}
    labels = {i: row.fields[DEPREL] for i, row in rows if has_own_label(row)}
    tags = {
        i: row.fields[UPOS]
        for i, row in rows
        if "upos" in own_tags(row) and row.fields[UPOS] != BLANK
    }
    return Given(heads, labels, tags)


def _take_tags(row: Row, names: frozenset[str], *values: str) -> None:
    own = own_tags(row)
    if names - own:
        for name, value in zip(("lemma", "upos", "xpos", "feats"), values, strict=True):
            if name in names - own:
                row.fields[TAGS[name]] = value
        set_own_tags(row, own)


def _take_arc(row: Row, head: int | None, deprel: str) -> None:
    if has_own_label(row):
        return
    if has_own_arc(row):  # only its label is missing
        row.attach(row.head, deprel)
        set_mark(row, ARC, HEAD_ONLY if mark_of(row, ARC) is not None else GUESSED)
    else:
        row.attach(head, deprel)
        set_mark(row, ARC, GUESSED)


def _parse(parser: Parser, sentence: Sentence, given: Given) -> Sentence:
    """Parse around what is given; if the model cannot, around as much as it can.

    What a person decides may break rules of UD, which is shown; it is no cause for a warning.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return parser.parse(sentence, given=given, confidence=True)
        except GivenError:
            return _parse_around_some(parser, sentence, given)


def _parse_around_some(parser: Parser, sentence: Sentence, given: Given) -> Sentence:
    """Parse around given arcs that do not cross, and put the others into the tree."""
    some = {word: given.heads[word] for word in _uncrossed(given.heads)}
    labels = {word: label for word, label in given.labels.items() if word in some}
    try:
        parsed = parser.parse(sentence, given=Given(some, labels, given.tags), confidence=True)
    except GivenError:
        parsed = parser.parse(sentence, given=Given(tags=given.tags), confidence=True)
    guessed = dict(enumerate((head or 0 for head in parsed.heads), 1))
    heads = joined(guessed, given.heads)
    deprels = [
        given.labels.get(i, _fitting(label, heads[i])) for i, label in enumerate(parsed.deprels, 1)
    ]
    return parsed.replace(heads=[heads[i] for i in sorted(heads)], deprels=deprels)


def _fitting(label: str, head: int) -> str:
    """Return a guessed label, changed if the word has come to or from the root."""
    if head == 0:
        return ROOT_LABEL
    return "dep" if label == ROOT_LABEL else label


def _uncrossed(heads: Mapping[int, int]) -> list[int]:
    """Return words whose arcs cross no others; those that cross most are left out first.

    >>> _uncrossed({1: 3, 2: 4, 4: 0, 3: 4})
    [2, 4, 3]
    """
    kept = [*heads]
    while True:
        n_crossed = dict.fromkeys(kept, 0)
        for a, b in combinations(kept, 2):
            (left, right), (low, high) = sorted((a, heads[a])), sorted((b, heads[b]))
            if left < low < right < high or low < left < high < right:
                n_crossed[a] += 1
                n_crossed[b] += 1
        if not any(n_crossed.values()):
            return kept
        kept.remove(max(kept, key=n_crossed.__getitem__))


def joined(guessed: Mapping[int, int], decided: Mapping[int, int]) -> dict[int, int]:
    """Return a tree with all decided heads, and guessed ones as far as they fit.

    A guess that closes a cycle, or makes a second root, gives way to the root word.

    >>> joined({1: 2, 2: 0, 3: 2}, {2: 1})
    {1: 0, 2: 1, 3: 2}
    """
    heads = {**guessed, **decided}
    roots = [word for word, head in heads.items() if head == 0]
    chief = next((word for word in roots if word in decided), roots[0] if roots else 0)
    for word in roots:
        if word != chief and word not in decided:
            heads[word] = chief
    for word in guessed:
        seen, above = {word}, heads[word]
        while above and above not in seen:
            seen.add(above)
            above = heads[above]
        if above == word and word not in decided:
            heads[word] = chief
            chief = chief or word
    return heads
