"""Counts of correct words in a parsed test set, per sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dodona.evaluation.pairs import Parsed, pair
from dodona.evaluation.score_counts import Arcs, Attachment
from dodona.evaluation.tally import exact, facts

# without punctuation, as in papers before Universal Dependencies, or with it
SCORED = {"words": False, "all": True}


@dataclass(frozen=True)
class Counts:
    """Per sentence: the words scored, those with the correct head, and with the correct label too.

    `nonprojective` counts labelled arcs of all sentences, as `Arcs` does: gold arcs, system arcs,
    gold arcs found, correct system arcs.
    """

    n_words: list[int]
    n_attached: list[int]
    n_labelled: list[int]
    nonprojective: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    @property
    def attachment(self) -> Attachment:
        """The attachment scores over all sentences."""
        return Attachment(sum(self.n_words), sum(self.n_attached), sum(self.n_labelled))

    @property
    def crossing(self) -> Arcs:
        """The non-projective arcs of all sentences."""
        return Arcs(*self.nonprojective)

    def score(self, metric: str) -> float:
        """Return "uas" or "las", or "precision", "recall" or "f1" of non-projective arcs."""
        scored = self.attachment if metric in ("uas", "las") else self.crossing
        return float(getattr(scored, metric))

    def right(self, metric: str) -> list[int]:
        """Return the number of correct words by "uas" or "las", per sentence."""
        return {"uas": self.n_attached, "las": self.n_labelled}[metric]


def count(gold: Sequence[Parsed], system: Sequence[Parsed], *, punctuation: bool) -> Counts:
    """Count per sentence what `dodona.evaluate` counts over all sentences."""
    counts = Counts([], [], [])
    for sentence in pair(gold, system, punctuation=punctuation):
        words = facts(sentence, exact)
        counts.n_words.append(len(words))
        counts.n_attached.append(sum(word.is_attached for word in words))
        counts.n_labelled.append(sum(word.is_labelled for word in words))
        for word in words:
            counts.nonprojective[0] += word.gold_is_nonprojective
            counts.nonprojective[1] += word.system_is_nonprojective
            counts.nonprojective[2] += word.gold_is_nonprojective and word.is_labelled
            counts.nonprojective[3] += word.system_is_nonprojective and word.is_labelled
    return counts
