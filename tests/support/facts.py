"""The 200 sentences with facts that people annotated, and the scores on them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import dodona

ANNOTATED = Path(__file__).parents[1] / "facts" / "english.conllu"
TRIPLE = "# triple = "
Fact = tuple[str, str, str, frozenset[str]]


class FactScore(NamedTuple):
    """Facts that are annotated, found, and both: with the same words, verb and flags."""

    n_annotated: int
    n_found: int
    n_same: int

    @property
    def f1(self) -> float:
        return 200 * self.n_same / (self.n_annotated + self.n_found)


def annotated() -> list[dodona.Sentence]:
    return list(dodona.read(ANNOTATED))


def annotation(sentence: dodona.Sentence) -> Counter[Fact]:
    """The facts of a sentence as people wrote them: subject | verb | object | how."""
    found: Counter[Fact] = Counter()
    for comment in sentence.comments:
        if comment.startswith(TRIPLE):
            fields = comment.removeprefix(TRIPLE).lower().split("|")
            subject, verb, object, *how = map(str.strip, fields)
            found[subject, verb, object, frozenset(" ".join(how).split())] += 1
    return found


def extracted(doc: dodona.Doc) -> Counter[Fact]:
    found: Counter[Fact] = Counter()
    for triple in doc.triples():
        words = triple.subject, triple.object
        subject, object = ("-" if word is None else word.form.lower() for word in words)
        how = {"passive": triple.passive, "negated": triple.negated}
        flags = {name for name, holds in how.items() if holds} | {triple.modality or ""}
        found[subject, triple.verb.lower(), object, frozenset(flags - {""})] += 1
    return found


def score(parser: dodona.Parser | None) -> FactScore:
    """The score with the trees of a parser, from text, or with the gold trees."""
    total = [0, 0, 0]
    for sentence in annotated():
        expected = annotation(sentence)
        doc = dodona.Doc([sentence]) if parser is None else parser(sentence.text)
        found = extracted(doc)
        for i, counts in enumerate((expected, found, expected & found)):
            total[i] += counts.total()
    return FactScore(*total)
