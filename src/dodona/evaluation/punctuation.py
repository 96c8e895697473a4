"""Rules that identify punctuation: by UPOS, by the tags of the treebank, or by characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import category

from dodona.evaluation.parsed import Parsed
from dodona.treebank.columns import UNANNOTATED
from dodona.treebank.universal import UPOS

RULES = ("auto", "upos", "xpos", "characters")
MOST_NAMED = 8  # tags


@dataclass(frozen=True)
class Punctuation:
    """A rule that decides whether words are punctuation."""

    column: str  # "upos" or "xpos"; "" to decide by characters
    tags: frozenset[str] = frozenset()

    def marks(self, sentence: Parsed) -> list[bool]:
        """Return for each word whether it is punctuation."""
        if not self.column:
            return [is_punctuation(form) for form in sentence.forms]
        return [tag in self.tags for tag in getattr(sentence, self.column)]

    def __str__(self) -> str:
        """Describe the rule."""
        if not self.column:
            return "by characters"
        named = sorted(self.tags)
        more = " …" if len(named) > MOST_NAMED else ""
        return f"by {self.column.upper()} {' '.join(named[:MOST_NAMED])}{more}".rstrip()


def is_punctuation(form: str) -> bool:
    """Return whether all characters are of Unicode category P.

    >>> is_punctuation("..."), is_punctuation("a.")
    (True, False)
    """
    return all(category(char)[0] == "P" for char in form)


def find_rule(gold: Sequence[Parsed], rule: str = "auto") -> Punctuation:
    """Return the rule of a name; "auto" is the first one that the treebank has tags for.

    "upos": the tag PUNCT. "xpos": the tags in XPOS, or else in a UPOS column with tags that are not
    universal (such as CPOS), whose words all consist of punctuation characters.
    """
    if rule not in RULES:
        raise ValueError(f"punctuation_by={rule!r}: expected one of {', '.join(RULES)}")
    upos = {tag for sentence in gold for tag in sentence.upos} - {UNANNOTATED}
    if rule == "upos" or (rule == "auto" and upos and upos <= UPOS):
        return Punctuation("upos", frozenset({"PUNCT"}))
    if rule == "xpos" or rule == "auto":
        for column in ("xpos", "upos"):
            if tags := _punctuation_tags(gold, column):
                return Punctuation(column, tags)
        if rule == "xpos":
            return Punctuation("xpos")  # no tag marks punctuation
    return Punctuation("")


def _punctuation_tags(gold: Sequence[Parsed], column: str) -> frozenset[str]:
    """Return the tags of a column whose words are all punctuation."""
    found: dict[str, bool] = {}
    for sentence in gold:
        tags: Sequence[str] = getattr(sentence, column, ())
        for tag, form in zip(tags, sentence.forms, strict=False):
            if tag != UNANNOTATED and found.get(tag, True):
                found[tag] = is_punctuation(form)
    return frozenset(tag for tag, is_punct in found.items() if is_punct)
