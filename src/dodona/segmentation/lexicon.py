"""What a segmenter knows beside its weights: abbreviations, how words are written, which patterns
are tokens. It is given to the weights' features (core/lexicon); `lexicon_learning` learns it.
"""

import re
from array import array
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from dodona.core.segmenting.expansion import string_hash
from dodona.core.segmenting.lexicon import FIELDS
from dodona.core.segmenting.lexicon import Lexicon as Index
from dodona.records import field, record
from dodona.segmentation.rules import lower
from dodona.storage.json_fields import read_field

FOLLOWERS = ("any", "name", "number", "word")  # what comes after: anything, or mostly that
WORD = re.compile(r"[^\W\d_]+")
MOST_LOOKED_AT = 2_000  # characters of a text
ENOUGH = 20  # words that say something about a text
STRANGE = 0.3  # share of the usual coverage


class Abbreviation(NamedTuple):
    """How sure it is that a word is one, from 1 to 3, and what mostly follows it."""

    level: int
    follower: str = "any"


@record(frozen=True)
class Lexicon:
    """Abbreviations are without their last period, in lower case; other words are only hashes."""

    abbreviations: Mapping[str, Abbreviation] = field(default_factory=dict)
    hashes: "array[int] | memoryview" = field(default_factory=lambda: array("Q"))
    classes: bytes = b""
    patterns: Mapping[str, str] = field(default_factory=dict)  # "open" or "whole"
    coverage: float = 0.0  # share of the treebank's words that are known here

    @cached_property
    def _known(self) -> frozenset[int]:
        return frozenset(self.hashes)

    def is_strange(self, text: str) -> bool:
        """Whether a text has so few known words that it must be in another language.

        Its first words are looked at; few of them tell nothing.
        """
        words = WORD.findall(text, 0, MOST_LOOKED_AT)
        if len(words) < ENOUGH:
            return False
        n_known = sum(string_hash(lower(word)) in self._known for word in words)
        return n_known < STRANGE * self.coverage * len(words)

    def index(self) -> Index:
        """The same for compiled code; a word's class says all that is known of it."""
        classes = dict(zip(self.hashes, self.classes, strict=True))
        for word, found in self.abbreviations.items():
            key = string_hash(lower(word))
            classes[key] = classes.get(key, 0) | abbreviation_class(found)
        return Index(array("Q", classes), bytes(classes.values()), self.patterns)


def abbreviation_class(found: Abbreviation) -> int:
    """What is known of an abbreviation, as bits of a word's class."""
    follower = FOLLOWERS.index(found.follower) * unit("follower")
    return found.level * unit("abbreviation") | follower


def unit(name: str) -> int:
    """The lowest bit of a field."""
    return FIELDS[name] & -FIELDS[name]


def restore_lexicon(about: Any, hashes: memoryview, classes: bytes) -> Lexicon:
    """The lexicon in a model file; an error if there cannot be such a one."""
    abbreviations = {}
    for word, found in read_field(about, "abbreviations", dict).items():
        match found:
            case [int(level), str(follower)] if 1 <= level <= 3 and follower in FOLLOWERS:
                abbreviations[str(word)] = Abbreviation(level, follower)
            case _:
                raise ValueError(f"{found!r} says nothing of the abbreviation {word!r}")
    patterns, coverage = read_field(about, "patterns", dict), read_field(about, "coverage", float)
    return Lexicon(abbreviations, hashes, classes, patterns, coverage)
