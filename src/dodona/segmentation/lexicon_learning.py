"""Learning a segmenter's lexicon from the treebank's text, raw text, and a list."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dodona.core.segmenting.expansion import string_hash
from dodona.core.segmenting.patterns import PATTERNS
from dodona.segmentation.abbreviation_list import AbbreviationList, read_abbreviation_list
from dodona.segmentation.abbreviations import learn_abbreviations
from dodona.segmentation.expansion_rules import lower
from dodona.segmentation.lexicon import WORD, Lexicon, unit
from dodona.segmentation.word_counts import WRITINGS, WordCounts, count_words
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.files import read_lines

ALWAYS = 0.95  # share of unsplit matches from which on a pattern is always one token
SOME = 4  # matches below which the majority decides


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
    text: str, patterns: Sequence[Sequence[int]], sources: Sources | None = None
) -> Lexicon:
    """Learn a lexicon; `patterns` has the counts of whole and split matches, by pattern id."""
    sources = sources or Sources()
    counts = count_words(line.split() for line in text.split("\n"))
    for chunks in sources.lines():
        counts.add(chunks)
    words = counts.known()
    known = {*words}
    seen = [word.lower() in known for word in WORD.findall(text)]
    return Lexicon(
        {**learn_abbreviations(counts), **sources.listed.abbreviations},
        array("Q", [string_hash(lower(word)) for word in words]),
        bytes(word_class(counts, word) for word in words),
        {name: _state(*patterns[number]) for name, number in PATTERNS.items()},
        round(sum(seen) / max(len(seen), 1), 4),
    )


def word_class(counts: WordCounts, word: str) -> int:
    """Return the class of a word: its usual case, and whether it often begins sentences."""
    writing = WRITINGS.index(counts.writing(word)) * unit("writing")
    return writing | counts.is_starter(word) * unit("starter")


def _state(n_whole: int, n_split: int) -> str:
    """Return the state of a pattern; one without matches is "whole"."""
    n = n_whole + n_split
    return "whole" if (n < SOME and n_whole >= n_split) or n_whole >= ALWAYS * n else "open"
