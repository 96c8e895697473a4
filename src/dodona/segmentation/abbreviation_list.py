"""A user's list of abbreviations, of tokens with punctuation inside, and of units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile

from dodona.segmentation.lexicon import FOLLOWERS, Abbreviation
from dodona.treebank.conllu.errors import TreebankError

LISTED = 3  # the level of listed abbreviations; learned ones have 1 or 2
WHOLE, UNIT = "whole", "unit"  # kinds of entries that are not abbreviations


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
