"""Abbreviations learned from raw text, by the score of Kiss & Strunk (2006, section 3.1).

A word is an abbreviation if a period follows it far more often than chance predicts, if it is
short, if it contains periods, and if it rarely occurs without one. The text must contain the
abbreviations: five million words of novels and manuals have no "Prof." at all, and a list helps
(`abbreviation_list`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log

from dodona.segmentation.lexicon import Abbreviation
from dodona.segmentation.word_counts import WordCounts

LEAST = 0.3  # score of an abbreviation
SURE = 10.0  # score of a certain abbreviation
PERIOD_AFTER = 0.99  # probability of a period after an abbreviation, as in the paper
FOLLOWER_SHARES = {"name": 0.85, "number": 0.6, "word": 0.6}
FEW = 3  # occurrences below which the follower is unknown


def score(word: str, with_period: int, without: int, period_share: float) -> float:
    """Return the score of a word, from its counts and the share of words with a period.

    >>> score("mrs", 50, 1, 0.05) > LEAST
    True
    >>> score("oak", 5, 50, 0.05) > LEAST
    False
    """
    chance = min(max(period_share, 1e-9), 1 - 1e-9)
    by_chance = with_period * log(chance) + without * log(1 - chance)
    by_rule = with_period * log(PERIOD_AFTER) + without * log(1 - PERIOD_AFTER)
    n_letters = len(word) - word.count(".")
    without_penalty = float(max(n_letters, 1)) ** -without
    return -2 * (by_chance - by_rule) * exp(-n_letters) * (word.count(".") + 1) * without_penalty


def learn_abbreviations(counts: WordCounts) -> dict[str, Abbreviation]:
    """Return the abbreviations of a text, without their last periods, in lower case."""
    found = {}
    period_share = counts.n_periods / max(counts.n_words, 1)
    for word, n in sorted(counts.with_period.items()):
        value = score(word, n, counts.without[word], period_share) if n > 1 else 0
        if value >= LEAST:
            found[word] = Abbreviation(1 + (value >= SURE), follower(counts.after[word]))
    return found


def follower(counts: Mapping[str, int]) -> str:
    """Return what usually follows an abbreviation, from counts by kind of follower.

    >>> follower({"name": 9, "number": 1}), follower({"name": 2})
    ('name', 'any')
    """
    n = sum(counts.values())
    shares = FOLLOWER_SHARES.items() if n >= FEW else ()
    return next((kind for kind, share in shares if counts.get(kind, 0) >= share * n), "any")
