"""Learning a segmenter's lexicon from the treebank's text, raw text, and a user's list.

Words of raw text are separated by white space and stripped of quotes and brackets. It is unknown
whether a period ends a sentence, so a capital after one is not counted as the word's own (the
orthographic heuristic of Kiss & Strunk 2006, section 4.1.2).

A word is an abbreviation (section 3.1) if a period follows it far more often than chance predicts,
if it is short, if it contains periods, and if it rarely occurs without one. The text must contain
the abbreviations: five million words of novels and manuals have no "Prof." at all, and a list helps
(`read_abbreviation_list`).
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, takewhile
from math import exp, log
from pathlib import Path

from dodona.core.segmenting.expansion import string_hash
from dodona.core.segmenting.patterns import PATTERNS
from dodona.segmentation.expansion_rules import lower
from dodona.segmentation.lexicon import FOLLOWERS, WORD, Abbreviation, Lexicon, unit
from dodona.segmentation.string_learning import is_unspaced, learn_strings
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import read_lines
from dodona.treebank.raw_text import GoldText

LISTED = 3  # the level of listed abbreviations; learned ones have 1 or 2
WHOLE, UNIT = "whole", "unit"  # kinds of entries that are not abbreviations
QUOTES = "\"'“”«»„\u2018\u2019\u201a"
DASHES = "-—\u2013"
BEFORE, AFTER = f"([{{<*_{QUOTES}{DASHES}", f")]}}>*_,;:!?{QUOTES}{DASHES}"
STARTER = 30.0  # log likelihood ratio of a sentence starter, as in the paper
MANY = 9  # ratio of the two cases from which on one is the usual case
LEAST = 4  # occurrences of a word
MOST_WORDS = 12_000  # most frequent words that are kept
WRITINGS = ("unknown", "lower", "both", "capital")
MIN_SCORE = 0.3  # score of an abbreviation
SURE = 10.0  # score of a certain abbreviation
PERIOD_AFTER = 0.99  # probability of a period after an abbreviation, as in the paper
FOLLOWER_SHARES = {"name": 0.85, "number": 0.6, "word": 0.6}
MIN_FOLLOWERS = 3  # occurrences below which the follower is unknown
ALWAYS = 0.95  # share of unsplit matches from which on a pattern is always one token
SOME = 4  # matches below which the majority decides


@dataclass(frozen=True)
class AbbreviationList:
    """The entries of a list, by kind."""

    abbreviations: dict[str, Abbreviation] = field(default_factory=dict)  # as in `Lexicon`
    wholes: tuple[str, ...] = ()  # "Yahoo!", "C#": one token in spite of the punctuation
    units: tuple[str, ...] = ()  # "kg": a token also directly after a number


def read_abbreviation_list(lines: Iterable[str], name: str) -> AbbreviationList:
    """Read a list with an entry and its kind in each line: WHOLE, UNIT, or one of FOLLOWERS.

    "#" at the beginning of a field begins a comment.

    >>> lines = ["Prof. name", "etc.  # and so on", "C# whole", "kg unit"]
    >>> listed = read_abbreviation_list(lines, "list.txt")
    >>> listed.abbreviations["prof"].follower, listed.wholes, listed.units
    ('name', ('C#',), ('kg',))
    """
    abbreviations, others = {}, dict[str, list[str]]({WHOLE: [], UNIT: []})
    for number, line in enumerate(lines, start=1):
        fields = list(takewhile(lambda field: not field.startswith("#"), line.split()))
        if not fields:
            continue
        word, kind = fields[0], fields[1] if len(fields) > 1 else FOLLOWERS[0]
        if len(fields) == 2 and kind in others:
            others[kind].append(word)
            continue
        word = word.removesuffix(".").lower()
        if not word or len(fields) > 2 or kind not in FOLLOWERS:
            kinds = ", ".join((*FOLLOWERS, *others))
            expected = f"an abbreviation, optionally followed by one of {kinds}"
            raise TreebankError(name, number, f"expected {expected}, not {line.strip()!r}")
        abbreviations[word] = Abbreviation(LISTED, kind)
    return AbbreviationList(abbreviations, tuple(others[WHOLE]), tuple(others[UNIT]))


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


def score(word: str, with_period: int, without: int, period_share: float) -> float:
    """Return the score of a word, from its counts and the share of words with a period.

    >>> score("mrs", 50, 1, 0.05) > MIN_SCORE
    True
    >>> score("oak", 5, 50, 0.05) > MIN_SCORE
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
        if value >= MIN_SCORE:
            found[word] = Abbreviation(1 + (value >= SURE), follower(counts.after[word]))
    return found


def follower(counts: Mapping[str, int]) -> str:
    """Return what usually follows an abbreviation, from counts by kind of follower.

    >>> follower({"name": 9, "number": 1}), follower({"name": 2})
    ('name', 'any')
    """
    n = sum(counts.values())
    shares = FOLLOWER_SHARES.items() if n >= MIN_FOLLOWERS else ()
    return next((kind for kind, share in shares if counts.get(kind, 0) >= share * n), "any")


@dataclass(frozen=True)
class Sources:
    """Sources of a lexicon beside the treebank: raw text files, a list of abbreviations."""

    raw: tuple[str, ...] = ()
    abbreviations: str = ""

    def lines(self) -> Iterator[list[str]]:
        """Yield the lines of the raw text, split at white space."""
        for name in self.raw:
            yield from (line.split() for line in read_lines(name))

    @cached_property
    def listed(self) -> AbbreviationList:
        """The entries of the list; empty without one."""
        if not self.abbreviations:
            return AbbreviationList()
        return read_abbreviation_list(read_lines(self.abbreviations), self.abbreviations)

    def checksums(self) -> dict[str, str]:
        """Return the checksums of the files, by name."""
        names = [*self.raw, *([self.abbreviations] if self.abbreviations else [])]
        return {Path(name).name: checksum([Path(name).read_bytes()]) for name in names}


def learn_lexicon(
    gold: GoldText, tags: Mapping[str, int], patterns: Sequence[Sequence[int]], sources: Sources
) -> Lexicon:
    """Learn a lexicon; `patterns` has the counts of whole and split matches, by pattern id.

    `tags` are the grammatical classes of the treebank's words (`learn_tags`).
    """
    text = gold.text
    counts = count_words(chain((line.split() for line in text.split("\n")), sources.lines()))
    words = {lower(word): word_class(counts, word) for word in counts.known()}
    words |= {word: 0 for word in tags if word not in words}
    seen = [lower(word) in words for word in WORD.findall(text)]
    return Lexicon(
        {**learn_abbreviations(counts), **sources.listed.abbreviations},
        array("Q", map(string_hash, words)),
        bytes(words.values()),
        {name: _state(*patterns[number]) for name, number in PATTERNS.items()},
        bytes(tags.get(word, 0) for word in words),
        round(sum(seen) / max(len(seen), 1), 4),
        *(learn_strings(chain([text], *map(read_lines, sources.raw))) if is_unspaced(gold) else ()),
    )


def word_class(counts: WordCounts, word: str) -> int:
    """Return the class of a word: its usual case, and whether it often begins sentences."""
    writing = WRITINGS.index(counts.writing(word)) * unit("writing")
    return writing | counts.is_starter(word) * unit("starter")


def _state(n_whole: int, n_split: int) -> str:
    """Return the state of a pattern; one without matches is "whole"."""
    n = n_whole + n_split
    return "whole" if (n < SOME and n_whole >= n_split) or n_whole >= ALWAYS * n else "open"
