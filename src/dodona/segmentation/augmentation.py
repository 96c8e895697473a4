"""Text made of a treebank's sentences, for what texts have and treebanks have too little of.

Abbreviations and other tokens of a list stand in the places of words that the treebank has; a
sentence ends in an abbreviation or in a letter ("plan B."); lines are as short as those of lists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from random import Random

from dodona.segmentation.given import GIVEN, Given
from dodona.segmentation.lexicon import Abbreviation
from dodona.treebank.raw_text import PARAGRAPH, GoldText

EACH = 4  # sentences for an abbreviation or a unit of the list, and as many that end in it …
OFTEN = 6  # … for another token, whose own features must be learned
LETTERS = 4  # sentences that end in a letter, for each
LISTS = 0.1  # lists of short lines, for each line that there is to make them of
MOST_LISTS = 300
ITEMS = 3, 6  # lines of a list
SHORT = 4  # tokens of a line of a list, at most
SPOKEN = 30  # pairs of sentences in quotes
GLUED = 30  # pairs of sentences without a space between them
QUOTES = (("“", "”"), ('"', '"'), ("«", "»"), ("„", "“"), ("「", "」"))
STOPS = (".", "!", "?")


@dataclass(frozen=True)
class Piece:
    """A token with the white space before it."""

    gap: str
    form: str
    words: tuple[str, ...]


Line = list[Piece]  # a sentence
Paragraph = list[Line]
Pairs = Sequence[tuple[Line, Line]]  # sentences, the second right after the first


def augmented(
    gold: GoldText, given: Given, known: Mapping[str, Abbreviation], seed: int
) -> GoldText:
    """More text to learn from; empty where the treebank has nothing to make it of.

    `known` are the abbreviations of the list and those that were learned.
    """
    rng = Random(seed)
    sentences = _sentences(gold)
    pairs = [(a, b) for a, b in pairwise(sentences) if b[0].gap == " "]
    ended = [(a, b) for a, b in pairs if _ends_in_word(a)]
    made = chain(
        _abbreviated(sentences, known, rng),
        _with_wholes(sentences, given.wholes, rng),
        _with_units(sentences, given.units, rng),
        _ending_in_abbreviations(ended, given, rng),
        _ending_in_letters(ended, rng),
        _lists(sentences, rng),
        _spoken(ended, gold.text, rng),
        _glued(pairs, rng),
    )
    return _assembled(made)


def _abbreviated(
    sentences: Sequence[Line], known: Mapping[str, Abbreviation], rng: Random
) -> Iterator[Paragraph]:
    """Sentences with abbreviations of the list in the places of others of their kind."""
    hosts: defaultdict[str, list[tuple[Line, int]]] = defaultdict(list)
    for line in sentences:
        for i, piece in enumerate(line[:-1]):
            found = known.get(piece.form.removesuffix(".").lower())
            if found is not None and piece.form.endswith(".") and len(piece.words) == 1:
                hosts[found.follower].append((line, i))
    for word, found in sorted(known.items()):
        if found.level == GIVEN and hosts[found.follower]:
            for _ in range(EACH):
                line, i = rng.choice(hosts[found.follower])
                yield [_with(line, i, _as(line[i], word))]


def _with_wholes(
    sentences: Sequence[Line], wholes: Iterable[str], rng: Random
) -> Iterator[Paragraph]:
    """Sentences with tokens of the list in the places of words that begin alike.

    Half of them follow a period within the sentence, if any word does: "Ms. O'Brien".
    """
    hosts: defaultdict[str, list[tuple[Line, int]]] = defaultdict(list)
    for line in sentences:
        for i, piece in enumerate(line[1:-1], start=1):
            if piece.gap == " " and len(piece.words) == 1 and piece.form.isalnum():
                kind = _first_kind(piece.form)
                hosts[kind].append((line, i))
                if line[i - 1].form.endswith("."):
                    hosts[f"{kind} after period"].append((line, i))
    for form in wholes:
        kind = _first_kind(form)
        for k in range(OFTEN if hosts[kind] else 0):
            line, i = rng.choice((k % 2 and hosts[f"{kind} after period"]) or hosts[kind])
            yield [_with(line, i, Piece(" ", form, (form,)))]


def _with_units(
    sentences: Sequence[Line], units: Iterable[str], rng: Random
) -> Iterator[Paragraph]:
    """Sentences with a unit right behind a number, in the place of the word there."""
    hosts = [
        (line, i)
        for line in sentences
        for i in range(1, len(line))
        if line[i - 1].form.isdecimal() and line[i].gap == " " and line[i].form.isalpha()
    ]
    for form in units if hosts else ():
        for _ in range(EACH):
            line, i = rng.choice(hosts)
            yield [_with(line, i, Piece("", form, (form,)))]


def _ending_in_abbreviations(pairs: Pairs, given: Given, rng: Random) -> Iterator[Paragraph]:
    """Two sentences, the first of which ends in an abbreviation, whose period is also its own."""
    for word, found in sorted(given.abbreviations.items()):
        for _ in range(EACH if found.follower == "any" and pairs else 0):
            one, two = rng.choice(pairs)
            yield [[*one[:-2], _as(one[-2], word)], two]


def _ending_in_letters(pairs: Pairs, rng: Random) -> Iterator[Paragraph]:
    """Two sentences, the first of which ends in a letter: there, it is no initial."""
    hosts = [
        (a, b)
        for a, b in pairs
        if a[-2].form.islower() and a[-3].form.islower() and b[0].form[0].isupper()
    ]
    letters = sorted({b[0].form[0] for _, b in hosts})
    for letter in letters * LETTERS:
        one, two = rng.choice(hosts)
        yield [_with(one, -2, Piece(" ", letter, (letter,))), two]


def _lists(sentences: Sequence[Line], rng: Random) -> Iterator[Paragraph]:
    """Short lines that no mark ends, one below the other."""
    lines = [line for line in sentences if len(line) <= SHORT and line[-1].form.isalnum()]
    for _ in range(min(round(LISTS * len(lines)), MOST_LISTS)):
        items = rng.choices(lines, k=rng.randint(*ITEMS))
        yield [_with(line, 0, replace(line[0], gap="\n")) for line in items]


def _spoken(pairs: Pairs, text: str, rng: Random) -> Iterator[Paragraph]:
    """Two sentences in quotes, one after the other, with the quotes that the treebank has."""
    quotes = [pair for pair in QUOTES if all(text.count(mark) > OFTEN for mark in pair)]
    for opening, closing in quotes if pairs else ():
        for _ in range(SPOKEN):
            yield [
                [
                    Piece(" ", opening, (opening,)),
                    replace(line[0], gap=""),
                    *line[1:],
                    _mark(closing),
                ]
                for line in rng.choice(pairs)
            ]


def _glued(pairs: Pairs, rng: Random) -> Iterator[Paragraph]:
    """Two sentences without the space between them."""
    hosts = [
        (a, b)
        for a, b in pairs
        if a[-1].form in STOPS
        and len(a) > 1
        and a[-2].form.islower()
        and a[-2].form.isalpha()
        and b[0].form[0].isupper()
        and (len(b[0].form) == 1 or b[0].form[1:].islower())
    ]
    for _ in range(GLUED if hosts else 0):
        one, two = rng.choice(hosts)
        yield [one, _with(two, 0, replace(two[0], gap=""))]


def _ends_in_word(line: Line) -> bool:
    """Whether a period ends a sentence, and a word stands before it."""
    return (
        len(line) > 2
        and line[-1].form == "."
        and line[-1].gap == ""
        and (line[-2].form.isalpha() and line[-2].gap == " " and len(line[-2].words) == 1)
    )


def _first_kind(form: str) -> str:
    """What a token begins with: all that is no capital and no digit is like a small letter."""
    return "upper" if form[0].isupper() else "digit" if form[0].isdecimal() else "lower"


def _as(piece: Piece, word: str) -> Piece:
    """The piece with another abbreviation in its place, in its case."""
    form = (word.capitalize() if piece.form[:1].isupper() and "." not in word else word) + "."
    return Piece(piece.gap, form, (form,))


def _mark(form: str) -> Piece:
    """A mark that follows without a space."""
    return Piece("", form, (form,))


def _with(line: Line, i: int, piece: Piece) -> Line:
    """The line with another piece in a place."""
    changed = [*line]
    changed[i] = piece
    return changed


def _sentences(gold: GoldText) -> list[Line]:
    """The sentences of a text, with the white space within them and before them."""
    lines: list[Line] = []
    last = 0
    for (start, end, begins), words in zip(gold.spans, gold.words, strict=True):
        if begins:
            lines.append([])
        lines[-1].append(Piece(gold.text[last:start], gold.text[start:end], words))
        last = end
    return lines


def _assembled(paragraphs: Iterable[Paragraph]) -> GoldText:
    """A text of these paragraphs."""
    gold, pieces, at = GoldText(), list[str](), 0
    for paragraph in paragraphs:
        for n, line in enumerate(paragraph):
            for i, piece in enumerate(line):
                gap = piece.gap if n or i else PARAGRAPH if pieces else ""
                at += len(gap)
                if n == i == 0:
                    gold.paragraphs.append(at)
                gold.spans.append((at, at + len(piece.form), i == 0))
                gold.words.append(piece.words)
                at += len(piece.form)
                pieces += [gap, piece.form]
    gold.text = "".join(pieces)
    return gold
