"""Abbreviations, learned from text that nobody has annotated.

A word is an abbreviation if a period follows it far more often than chance would have it, if it is
short, if it has periods inside, and if it hardly ever stands without one: the score of Kiss &
Strunk (2006, section 3.1). It needs text that has the abbreviations: in five million words of
novels and manuals there is no "Prof." at all, and a list helps (`given`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log

from dodona.segmentation.lexicon import Abbreviation
from dodona.segmentation.word_counts import WordCounts

LEAST = 0.3  # score of an abbreviation
SURE = 10.0  # score from which on it is hardly anything else
PERIOD_AFTER = 0.99  # share of a period after an abbreviation, as the paper has it
MOSTLY = {"name": 0.85, "number": 0.6, "word": 0.6}
FEW = 3  # times that an abbreviation was seen: nothing is said of what follows


@dataclass(frozen=True)
class Share:
    """How often a word was seen with a period and without, and all words."""

    with_period: int
    without: int
    n_periods: int
    n_words: int

    def log_likelihood(self) -> float:
        """How much better its periods are explained by an abbreviation than by chance, times 2."""
        n, k = self.with_period + self.without, self.with_period
        chance = min(max(self.n_periods / max(self.n_words, 1), 1e-9), 1 - 1e-9)
        by_chance = k * log(chance) + (n - k) * log(1 - chance)
        by_rule = k * log(PERIOD_AFTER) + (n - k) * log(1 - PERIOD_AFTER)
        return -2 * (by_chance - by_rule)


def score(word: str, share: Share) -> float:
    """The score of Kiss & Strunk (2006): from LEAST on, it is an abbreviation.

    >>> score("mrs", Share(50, 1, 5_000, 100_000)) > LEAST
    True
    >>> score("oak", Share(5, 50, 5_000, 100_000)) > LEAST
    False
    """
    n_letters = len(word) - word.count(".")
    of_length = exp(-n_letters)
    of_lonely = float(max(n_letters, 1)) ** -share.without
    return share.log_likelihood() * of_length * (word.count(".") + 1) * of_lonely


def learn_abbreviations(counts: WordCounts) -> dict[str, Abbreviation]:
    """The abbreviations that a text shows, without their periods, in lower case."""
    found = {}
    for word, n in sorted(counts.with_period.items()):
        if n < 2:
            continue
        share = Share(n, counts.without[word], counts.n_periods, counts.n_words)
        if (value := score(word, share)) >= LEAST:
            found[word] = Abbreviation(1 + (value >= SURE), follower(counts.after[word]))
    return found


def follower(counts: Mapping[str, int]) -> str:
    """What mostly follows an abbreviation, from how often each kind did.

    >>> follower({"name": 9, "number": 1}), follower({"name": 2})
    ('name', 'any')
    """
    n = sum(counts.values())
    if n < FEW:
        return "any"
    return next((kind for kind, share in MOSTLY.items() if counts.get(kind, 0) >= share * n), "any")
