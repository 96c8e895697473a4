"""Counts of words in raw text: with and without a period, their case, what follows the period.

Words are separated by white space and stripped of quotes and brackets. It is unknown whether a
period ends a sentence, so a capital after one is not counted as the word's own (the orthographic
heuristic of Kiss & Strunk 2006, section 4.1.2).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log

QUOTES = "\"'“”«»„\u2018\u2019\u201a"
DASHES = "-—\u2013"
BEFORE, AFTER = f"([{{<*_{QUOTES}{DASHES}", f")]}}>*_,;:!?{QUOTES}{DASHES}"
STARTER = 30.0  # log likelihood ratio of a sentence starter, as in the paper
MANY = 9  # ratio of the two cases from which on one is the usual case
LEAST = 4  # occurrences of a word
MOST_WORDS = 12_000  # most frequent words that are kept
WRITINGS = ("unknown", "lower", "both", "capital")


@dataclass
class WordCounts:
    """Counts of words, all in lower case."""

    with_period: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)
    after: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    lower: Counter[str] = field(default_factory=Counter)
    capital: Counter[str] = field(default_factory=Counter)
    starting: Counter[str] = field(default_factory=Counter)  # with a capital, after a full stop
    n_words: int = 0
    n_periods: int = 0
    n_starts: int = 0

    def add(self, chunks: Sequence[str]) -> None:
        """Count the words of a line, which may begin a sentence."""
        begins = True
        last = len(chunks) - 1
        for i, chunk in enumerate(chunks):
            inner = chunk.lstrip(BEFORE)
            core = inner.rstrip(AFTER)
            word = core.lower().removesuffix(".")
            self.n_words += 1
            ends = chunk.endswith((".", "!", "?", ":", '"', "”", "…"))
            if word.replace(".", "").isalpha() and ".." not in core:
                if core.endswith("."):
                    self.with_period[word] += 1
                    self.n_periods += 1
                    if i < last and inner == core:
                        self.after[word][_kind(chunks[i + 1])] += 1
                else:
                    self.without[word] += 1
                self._add_writing(word, core, begins)
            elif core.endswith("."):
                self.n_periods += 1
            begins = ends

    def _add_writing(self, word: str, core: str, begins: bool) -> None:
        if core[0].islower():
            self.lower[word] += 1
        elif not core[0].isupper():
            return  # a script without case
        elif begins:
            self.starting[word] += 1
            self.n_starts += 1
        elif not core.isupper() or len(core) == 1:
            self.capital[word] += 1

    def writing(self, word: str) -> str:
        """Return the usual case of a word inside sentences, one of WRITINGS."""
        lower, capital = self.lower[word], self.capital[word]
        if lower + capital < LEAST:
            return "unknown"
        if lower >= MANY * capital:
            return "lower"
        return "capital" if capital >= MANY * lower else "both"

    def is_starter(self, word: str) -> bool:
        """Whether a word begins sentences much more often than chance predicts."""
        k, n = self.starting[word], self.n_starts
        others = self.lower[word] + self.capital[word]
        n_others = max(self.n_words - n, 1)
        if k < LEAST or k * n_others <= others * n:
            return False
        return log_likelihood_ratio(k, n, others, n_others) >= STARTER

    def known(self) -> list[str]:
        """Return the most frequent words."""
        counts = self.with_period + self.without
        often = sorted((-n, word) for word, n in counts.items() if n >= LEAST)
        return [word for _, word in often[:MOST_WORDS]]


def count_words(lines: Iterable[Sequence[str]]) -> WordCounts:
    """Count the words of lines or paragraphs, which are split at white space.

    >>> counts = count_words([["The", "oak", "speaks."]])
    >>> counts.with_period["speaks"], counts.starting["the"]
    (1, 1)
    """
    counts = WordCounts()
    for chunks in lines:
        counts.add(chunks)
    return counts


def log_likelihood_ratio(k1: int, n1: int, k2: int, n2: int) -> float:
    """Return the log likelihood ratio of two rates k/n against one common rate (Dunning 1993)."""

    def likelihood(k: int, n: int, p: float) -> float:
        p = min(max(p, 1e-12), 1 - 1e-12)
        return k * log(p) + (n - k) * log(1 - p)

    both = (k1 + k2) / (n1 + n2)
    apart = likelihood(k1, n1, k1 / n1) + likelihood(k2, n2, min(k2 / n2, 1.0))
    return 2 * (apart - likelihood(k1, n1, both) - likelihood(k2, n2, both))


def _kind(chunk: str) -> str:
    """Return the kind of the chunk after an abbreviation: one of FOLLOWERS, or "other"."""
    first = chunk.lstrip(BEFORE)[:1]
    if first.isupper():
        return "name"
    if first.islower():
        return "word"
    return "number" if first.isdigit() else "other"
