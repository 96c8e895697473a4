"""The lexicon of a segmenter: abbreviations, the usual case of words, the state of patterns.

Features read it (`core/segmenting/lexicon_index`); `lexicon_learning` learns it.
"""

import re
from array import array
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from dodona.core.segmenting.expansion import string_hash
from dodona.core.segmenting.lexicon_index import FIELDS, LexiconIndex
from dodona.records import field, record, replace
from dodona.segmentation.expansion_rules import lower
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field

FOLLOWERS = ("any", "name", "number", "word")  # what usually follows an abbreviation
WORD = re.compile(r"[^\W\d_]+")
MAX_CHECKED = 2_000  # characters of a text
MIN_CHECKED = 20  # words of a text
MAX_LEVEL = 3  # of the confidence that a word is an abbreviation
STRANGE = 0.3  # share of the usual coverage
# names of arrays in model files
HASHES, CLASSES, TAGS, STRINGS, ENTROPIES = (
    f"segmenter.lexicon.{name}" for name in ("hashes", "classes", "tags", "strings", "entropies")
)


class Abbreviation(NamedTuple):
    """The confidence that a word is an abbreviation, from 1 to 3, and what usually follows it."""

    level: int
    follower: str = "any"


@record(frozen=True)
class Lexicon:
    """Abbreviations (in lower case, without the last period), and hashes of other words."""

    abbreviations: Mapping[str, Abbreviation] = field(default_factory=dict)
    hashes: "array[int] | memoryview" = field(default_factory=lambda: array("Q"))
    classes: bytes = b""
    patterns: Mapping[str, str] = field(default_factory=dict)  # "open" or "whole"
    tags: bytes | None = None  # grammatical classes of the words; None in files older than tags
    coverage: float = 0.0  # share of the treebank's words that are in the lexicon
    # of text without spaces: frequent strings, and their entropies (`string_learning`)
    strings: "array[int] | memoryview" = field(default_factory=lambda: array("I"))
    entropies: bytes = b""

    @cached_property
    def _known(self) -> frozenset[int]:
        return frozenset(self.hashes)

    def is_strange(self, text: str) -> bool:
        """Whether so few words at the start of a text are known that its language is another."""
        words = WORD.findall(text, 0, MAX_CHECKED)
        if len(words) < MIN_CHECKED:
            return False
        n_known = sum(string_hash(lower(word)) in self._known for word in words)
        return n_known < STRANGE * self.coverage * len(words)

    def with_abbreviations(self, words: Iterable[str]) -> "Lexicon":
        """Return the lexicon with more abbreviations, which are certain and end in a period."""
        known = {lower(word).removesuffix("."): Abbreviation(MAX_LEVEL) for word in words}
        return replace(self, abbreviations={**self.abbreviations, **known})

    def index(self) -> LexiconIndex:
        """Return the lexicon for compiled code, with a class and a tag for each word."""
        classes = dict(zip(self.hashes, self.classes, strict=True))
        for word, found in self.abbreviations.items():
            key = string_hash(lower(word))
            follower = FOLLOWERS.index(found.follower) * unit("follower")
            classes[key] = classes.get(key, 0) | found.level * unit("abbreviation") | follower
        tags = None
        if self.tags is not None:  # other abbreviations follow, without tags
            tags = self.tags + bytes(len(classes) - len(self.hashes))
        return LexiconIndex(
            *(array("Q", classes), bytes(classes.values()), self.patterns, tags),
            *(self.strings, self.entropies),
        )


def unit(name: str) -> int:
    """Return the lowest bit of a field of word classes."""
    return FIELDS[name] & -FIELDS[name]


def lexicon_arrays(lexicon: Lexicon) -> dict[str, Array]:
    """Return the arrays of a lexicon in a model file."""
    arrays = {
        HASHES: Array("U64", lexicon.hashes.tobytes()),
        CLASSES: Array("U8", lexicon.classes),
    }
    if lexicon.tags is not None:
        arrays[TAGS] = Array("U8", lexicon.tags)
    if lexicon.entropies:
        arrays[STRINGS] = Array("U32", lexicon.strings.tobytes())
        arrays[ENTROPIES] = Array("U8", lexicon.entropies)
    return arrays


def restore_lexicon(about: Any, arrays: Mapping[str, memoryview]) -> Lexicon | None:
    """Restore a lexicon from a model file, if it has one; raise ValueError if it is damaged."""
    if HASHES not in arrays and CLASSES not in arrays:
        return None
    abbreviations = {}
    for word, found in read_field(about, "abbreviations", dict).items():
        match found:
            case [int(level), str(follower)] if 1 <= level <= MAX_LEVEL and follower in FOLLOWERS:
                abbreviations[str(word)] = Abbreviation(level, follower)
            case _:
                raise ValueError(f"the abbreviation {word!r} has the invalid entry {found!r}")
    patterns, coverage = read_field(about, "patterns", dict), read_field(about, "coverage", float)
    strings: array[int] | memoryview = array("I")
    entropies = b""
    if STRINGS in arrays or ENTROPIES in arrays:
        strings, entropies = arrays[STRINGS], bytes(arrays[ENTROPIES])
    return Lexicon(
        *(abbreviations, arrays[HASHES], bytes(arrays[CLASSES]), patterns),
        *(bytes(arrays[TAGS]) if TAGS in arrays else None, coverage, strings, entropies),
    )
