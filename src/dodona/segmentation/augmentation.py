"""Text made of a treebank's sentences, for what texts have and treebanks have too little of.

Abbreviations of a list stand in the places of those that the treebank has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from dodona.segmentation.abbreviations import GIVEN
from dodona.segmentation.lexicon import Abbreviation
from dodona.treebank.raw_text import PARAGRAPH, GoldText

EACH = 2  # sentences for an abbreviation of the list


@dataclass(frozen=True)
class Piece:
    """A token with the white space before it."""

    gap: str
    form: str
    words: tuple[str, ...]


Line = list[Piece]


def augmented(gold: GoldText, abbreviations: Mapping[str, Abbreviation], seed: int) -> GoldText:
    """More text to learn from; empty where the treebank has nothing to make it of."""
    rng = Random(seed)
    sentences = _sentences(gold)
    if not sentences:
        return GoldText()
    known = _Abbreviations(sentences, abbreviations)
    return _assembled(known.substituted(rng))


class _Abbreviations:
    """Where a treebank has abbreviations, within its sentences."""

    def __init__(self, sentences: Sequence[Line], known: Mapping[str, Abbreviation]) -> None:
        self.known = known
        self.hosts: defaultdict[str, list[tuple[Line, int]]] = defaultdict(list)
        for line in sentences:
            for i, piece in enumerate(line[:-1]):
                found = known.get(_name(piece.form))
                if found is not None and piece.form.endswith(".") and len(piece.words) == 1:
                    self.hosts[found.follower].append((line, i))

    def substituted(self, rng: Random) -> Iterator[Line]:
        """Sentences with abbreviations of the list in the places of others of their kind."""
        for word, found in sorted(self.known.items()):
            hosts = self.hosts[found.follower]
            if found.level == GIVEN and hosts:
                for _ in range(EACH):
                    line, i = rng.choice(hosts)
                    yield [*line[:i], _as(line[i], word), *line[i + 1 :]]


def _name(form: str) -> str:
    """A form as lists of abbreviations have it."""
    return form.removesuffix(".").lower()


def _as(piece: Piece, word: str) -> Piece:
    """The piece with another abbreviation in its place, in its case."""
    form = (word.capitalize() if piece.form[:1].isupper() and "." not in word else word) + "."
    return Piece(piece.gap, form, (form,))


def _sentences(gold: GoldText) -> list[Line]:
    """The sentences of a text, with the white space within them."""
    lines: list[Line] = []
    last = 0
    for (start, end, begins), words in zip(gold.spans, gold.words, strict=True):
        if begins:
            lines.append([])
        gap = " " if begins else gold.text[last:start]
        lines[-1].append(Piece(gap, gold.text[start:end], words))
        last = end
    return lines


def _assembled(lines: Iterable[Line]) -> GoldText:
    """A text in which each of these sentences is a paragraph."""
    gold, pieces, at = GoldText(), list[str](), 0
    for line in lines:
        for i, piece in enumerate(line):
            gap = piece.gap if i else (PARAGRAPH if pieces else "")
            at += len(gap)
            if i == 0:
                gold.paragraphs.append(at)
            gold.spans.append((at, at + len(piece.form), i == 0))
            gold.words.append(piece.words)
            at += len(piece.form)
            pieces += [gap, piece.form]
    gold.text = "".join(pieces)
    return gold
