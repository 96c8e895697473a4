"""The lexicon of a segmenter, learned from a treebank's text, from other text, and from a list."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dodona.core.segmenting.expansion import string_hash
from dodona.core.segmenting.patterns import PATTERNS
from dodona.segmentation.abbreviations import learn_abbreviations
from dodona.segmentation.given import Given, read_given
from dodona.segmentation.lexicon import WORD, Lexicon, unit
from dodona.segmentation.rules import lower
from dodona.segmentation.word_counts import WRITINGS, WordCounts, count_words
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.files import read_lines

ALWAYS = 0.95  # share of a pattern's stretches that the treebank keeps whole, if it always does
SOME = 4  # stretches from which on one that is parted is no mistake


@dataclass(frozen=True)
class Sources:
    """What a lexicon is learned from, beside the treebank: files of text, a list."""

    raw: tuple[str, ...] = ()
    abbreviations: str = ""

    def lines(self) -> Iterator[list[str]]:
        """The raw text, line by line, split at white space."""
        for name in self.raw:
            yield from (line.split() for line in read_lines(name))

    @cached_property
    def given(self) -> Given:
        """What the list has."""
        if not self.abbreviations:
            return Given()
        return read_given(read_lines(self.abbreviations), self.abbreviations)

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
        {**learn_abbreviations(counts), **sources.given.abbreviations},
        array("Q", [string_hash(lower(word)) for word in words]),
        bytes(word_class(counts, word) for word in words),
        {name: _state(*patterns[number]) for name, number in PATTERNS.items()},
        round(sum(seen) / max(len(seen), 1), 4),
    )


def word_class(counts: WordCounts, word: str) -> int:
    """How a word is written, and whether it begins sentences, as a byte."""
    writing = WRITINGS.index(counts.writing(word)) * unit("writing")
    return writing | counts.is_starter(word) * unit("starter")


def _state(n_whole: int, n_parted: int) -> str:
    """Patterns that a treebank does not have are kept whole."""
    n = n_whole + n_parted
    return "whole" if (n < SOME and n_whole >= n_parted) or n_whole >= ALWAYS * n else "open"


def _blocks(name: str) -> Iterable[bytes]:
    yield Path(name).read_bytes()
