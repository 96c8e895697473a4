"""A list of what a language writes with marks: abbreviations, tokens that are one, units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dodona.segmentation.lexicon import FOLLOWERS, Abbreviation
from dodona.treebank.conllu.errors import TreebankError

GIVEN = 3  # the level of abbreviations that are given; those that are learned have 1 or 2
WHOLE, UNIT = "whole", "unit"  # what an entry is, if it is no abbreviation


@dataclass(frozen=True)
class Given:
    """The entries of a list, by what they are; without a list there are none."""

    abbreviations: dict[str, Abbreviation] = field(default_factory=dict)  # as lexicons have them
    wholes: tuple[str, ...] = ()  # "Yahoo!", "C#": one token, whatever marks it has
    units: tuple[str, ...] = ()  # "kg": a token of its own, also right behind a number


def read_given(lines: Iterable[str], name: str) -> Given:
    """A list, one entry a line; after a blank, what follows an abbreviation, or what else it is.

    "#" after white space, or at the beginning of a line, begins a comment.

    >>> given = read_given(["Prof. name", "etc.  # and so on", "C# whole", "kg unit"], "list.txt")
    >>> given.abbreviations["prof"].follower, given.wholes, given.units
    ('name', ('C#',), ('kg',))
    """
    abbreviations, others = {}, dict[str, list[str]]({WHOLE: [], UNIT: []})
    for number, line in enumerate(lines, start=1):
        fields = _fields(line)
        if not fields:
            continue
        word, kind = fields[0], fields[1] if len(fields) > 1 else FOLLOWERS[0]
        if len(fields) == 2 and kind in others:
            others[kind].append(word)
            continue
        word = word.removesuffix(".").lower()
        if not word or len(fields) > 2 or kind not in FOLLOWERS:
            kinds = ", ".join((*FOLLOWERS, *others))
            expected = f"an abbreviation and one of {kinds}, or nothing, after it"
            raise TreebankError(name, number, f"expected {expected}, not {line.strip()!r}")
        abbreviations[word] = Abbreviation(GIVEN, kind)
    return Given(abbreviations, tuple(others[WHOLE]), tuple(others[UNIT]))


def _fields(line: str) -> list[str]:
    """What stands before a comment."""
    fields = line.split()
    comment = next((i for i, field in enumerate(fields) if field.startswith("#")), len(fields))
    return fields[:comment]
