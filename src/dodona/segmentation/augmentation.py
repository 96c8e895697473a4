"""Text made of a treebank's sentences, for what texts have and treebanks have too little of.

Two things: abbreviations of a list, in the places of those that the treebank has; and sentences that
end in an abbreviation. Nothing is made up but the order of things.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from dodona.segmentation.abbreviations import GIVEN, Abbreviation
from dodona.treebank.raw_text import PARAGRAPH, GoldText

EACH = 2  # sentences for an abbreviation of the list
ENDS = 100  # sentences that end in an abbreviation, at most


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
    return _assembled([*([line] for line in known.substituted(rng)), *known.ended(rng)])


class _Abbreviations:
    """Where a treebank has abbreviations, within its sentences and at their ends."""

    def __init__(self, sentences: Sequence[Line], known: Mapping[str, Abbreviation]) -> None:
        self.sentences, self.known = sentences, known
        self.hosts: defaultdict[str, list[tuple[Line, int]]] = defaultdict(list)
        n_whole = n_parted = 0
        for line in sentences:
            for i, piece in enumerate(line[:-1]):
                found = known.get(_name(piece.form))
                if found is not None and piece.form.endswith(".") and len(piece.words) == 1:
                    self.hosts[found.follower].append((line, i))
            n_whole += _name(line[-1].form) in known and line[-1].form.endswith(".")
            n_parted += len(line) > 1 and line[-1].form == "." and _name(line[-2].form) in known
        self.parts_period = n_parted > n_whole  # of an abbreviation that ends a sentence

    def substituted(self, rng: Random) -> Iterator[Line]:
        """Sentences with abbreviations of the list in the places of others of their kind."""
        for word, found in sorted(self.known.items()):
            hosts = self.hosts[found.follower]
            if found.level == GIVEN and hosts:
                for _ in range(EACH):
                    line, i = rng.choice(hosts)
                    yield [*line[:i], _as(line[i], word), *line[i + 1 :]]

    def ended(self, rng: Random) -> Iterator[list[Line]]:
        """What stands before an abbreviation as a sentence of its own, and another one after it."""
        hosts = [(line, i) for line, i in self.hosts["any"] if i > 1]
        for line, i in rng.sample(hosts, min(ENDS, len(hosts))):
            ending, form = line[i], line[i].form
            if self.parts_period:
                stem = form.removesuffix(".")
                last = [Piece(ending.gap, stem, (stem,)), Piece("", ".", (".",))]
            else:
                last = [ending]
            yield [[*line[:i], *last], rng.choice(self.sentences)]


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


def _assembled(paragraphs: Iterable[list[Line]]) -> GoldText:
    gold, pieces, at = GoldText(), list[str](), 0
    for lines in paragraphs:
        for n, line in enumerate(lines):
            for i, piece in enumerate(line):
                gap = piece.gap if n or i else (PARAGRAPH if pieces else "")
                at += len(gap)
                if n == i == 0:
                    gold.paragraphs.append(at)
                gold.spans.append((at, at + len(piece.form), i == 0))
                gold.words.append(piece.words)
                at += len(piece.form)
                pieces += [gap, piece.form]
    gold.text = "".join(pieces)
    return gold
