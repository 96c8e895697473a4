"""What a segmenter knows beside its weights: abbreviations, how words are written, which patterns
are tokens. All of it is learned from text, and given to the weights' features (core/lexicon).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dodona.core.segmenting.expansion import string_hash
from dodona.core.segmenting.lexicon import FIELDS
from dodona.core.segmenting.lexicon import Lexicon as Index
from dodona.core.segmenting.patterns import PATTERNS
from dodona.learning.treebanks import checksum
from dodona.segmentation.abbreviations import (
    FOLLOWERS,
    Abbreviation,
    learn_abbreviations,
    read_abbreviations,
)
from dodona.segmentation.rules import lower
from dodona.segmentation.word_counts import WRITINGS, WordCounts, count_words
from dodona.storage.said import said
from dodona.treebank.conllu.files import read_lines

ALWAYS = 0.95  # share of a pattern's stretches that the treebank keeps whole, if it always does
WORD = re.compile(r"[^\W\d_]+")
MOST_LOOKED_AT = 2_000  # characters of a text
ENOUGH = 20  # words that say something about a text
STRANGE = 0.3  # share of the usual coverage
SOME = 4  # stretches from which on one that is parted is no mistake


@dataclass(frozen=True)
class Lexicon:
    """Abbreviations are without their last period, in lower case; other words are only hashes."""

    abbreviations: Mapping[str, Abbreviation] = field(default_factory=dict)
    hashes: array[int] | memoryview = field(default_factory=lambda: array("Q"))
    classes: bytes = b""
    patterns: Mapping[str, str] = field(default_factory=dict)  # "open" or "whole"
    coverage: float = 0.0  # share of the treebank's words that are known here

    @cached_property
    def _known(self) -> frozenset[int]:
        return frozenset(self.hashes)

    def covered(self, text: str) -> tuple[float, int]:
        """The share of the first words of a text that are known, and how many were looked at."""
        words = WORD.findall(text, 0, MOST_LOOKED_AT)
        n_known = sum(string_hash(lower(word)) in self._known for word in words)
        return n_known / max(len(words), 1), len(words)

    def is_strange(self, text: str) -> bool:
        """Whether a text has so few known words that it must be in another language."""
        share, n_words = self.covered(text)
        return n_words >= ENOUGH and share < STRANGE * self.coverage

    def index(self) -> Index:
        """The same for compiled code; a word's class says all that is known of it."""
        classes = dict(zip(self.hashes, self.classes, strict=True))
        for word, found in self.abbreviations.items():
            key = string_hash(lower(word))
            classes[key] = classes.get(key, 0) | abbreviation_class(found)
        return Index(array("Q", classes), bytes(classes.values()), self.patterns)


@dataclass(frozen=True)
class Sources:
    """What a lexicon is learned from, beside the treebank: files of text, a list."""

    raw: tuple[str, ...] = ()
    abbreviations: str = ""

    def lines(self) -> Iterator[list[str]]:
        """The raw text, line by line, split at white space."""
        for name in self.raw:
            yield from (line.split() for line in read_lines(name))

    def given(self) -> dict[str, Abbreviation]:
        """The abbreviations of the list."""
        if not self.abbreviations:
            return {}
        return read_abbreviations(read_lines(self.abbreviations), self.abbreviations)

    def checksums(self) -> dict[str, str]:
        """Of the files, by their names."""
        names = [*self.raw, *([self.abbreviations] if self.abbreviations else [])]
        return {Path(name).name: checksum(_blocks(name)) for name in names}


def learn_lexicon(
    text: str, patterns: Sequence[Sequence[int]], sources: Sources | None = None
) -> Lexicon:
    """The lexicon of a treebank's text and other sources.

    `patterns` has, by a pattern's number, how often the treebank keeps it whole and how often not.
    """
    sources = sources or Sources()
    counts = count_words(line.split() for line in text.split("\n"))
    for chunks in sources.lines():
        counts.add(chunks)
    words = counts.known()
    known = {*words}
    seen = [word.lower() in known for word in WORD.findall(text)]
    return Lexicon(
        {**learn_abbreviations(counts), **sources.given()},
        array("Q", [string_hash(lower(word)) for word in words]),
        bytes(word_class(counts, word) for word in words),
        {name: _state(*patterns[number]) for name, number in PATTERNS.items()},
        round(sum(seen) / max(len(seen), 1), 4),
    )


def word_class(counts: WordCounts, word: str) -> int:
    """How a word is written, and whether it begins sentences, as a byte."""
    writing = WRITINGS.index(counts.writing(word)) * _unit("writing")
    return writing | counts.is_starter(word) * _unit("starter")


def abbreviation_class(found: Abbreviation) -> int:
    """The same for what is known of an abbreviation."""
    follower = FOLLOWERS.index(found.follower) * _unit("follower")
    return found.level * _unit("abbreviation") | follower


def _unit(name: str) -> int:
    """The lowest bit of a field."""
    return FIELDS[name] & -FIELDS[name]


def _state(n_whole: int, n_parted: int) -> str:
    """Patterns that a treebank does not have are kept whole."""
    n = n_whole + n_parted
    return "whole" if (n < SOME and n_whole >= n_parted) or n_whole >= ALWAYS * n else "open"


def restore_lexicon(about: Any, hashes: memoryview, classes: bytes) -> Lexicon:
    """The lexicon in a model file; an error if there cannot be such a one."""
    abbreviations = {}
    for word, found in said(about, "abbreviations", dict).items():
        match found:
            case [int(level), str(follower)] if 1 <= level <= 3 and follower in FOLLOWERS:
                abbreviations[str(word)] = Abbreviation(level, follower)
            case _:
                raise ValueError(f"{found!r} says nothing of the abbreviation {word!r}")
    patterns, coverage = said(about, "patterns", dict), said(about, "coverage", float)
    return Lexicon(abbreviations, hashes, classes, patterns, coverage)


def _blocks(name: str) -> Iterable[bytes]:
    yield Path(name).read_bytes()
