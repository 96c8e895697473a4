"""Boundaries that rules decide: the labels that each character of a text may not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import category

from dodona.core.segmenting.text_scanner import LABELS
from dodona.rules.rules import Rules

SAME, TOKEN, SENTENCE = (1 << LABELS[name] for name in ("same", "token", "sentence"))
NOT_WHITE = re.compile(r"\S")


class BoundaryRules:
    """The rules about tokens and sentences, ready for texts.

    Tokens are searched for everywhere in a text, but as whole words; regular expressions in each
    line, so that what they find does not depend on how a stream of text is cut.
    """

    def __init__(self, rules: Rules) -> None:
        self._cuts = {token: _cuts(pieces) for token, pieces in rules.split}
        exact = (*rules.whole, *self._cuts)
        in_any_case = (*rules.abbreviations, *(token for token, _ in rules.expand))
        found = [(token, _pattern(token)) for token in exact]
        found += [(token, f"(?i:{_pattern(token)})") for token in in_any_case]
        found.sort(key=lambda one: -len(one[0]))  # of several at one place, the longest counts
        self._tokens = re.compile("|".join(pattern for _, pattern in found)) if found else None
        self._starts = [*map(re.compile, rules.sentence_starts)]
        self._unbroken = [*map(re.compile, rules.unbroken)]

    def forbidden(self, text: str) -> bytes:
        """Return a byte for each character: bits of the labels that it may not have.

        >>> BoundaryRules(Rules(whole=["c/o"])).forbidden("c/o me").hex(" ")
        '01 06 06 00 01 00'
        """
        labels = bytearray(len(text))
        for match, first in _matches(self._unbroken, text):
            for at in range(match.start() + 1, match.end()):
                labels[first + at] |= SENTENCE
        for match, first in _matches(self._starts, text):
            if (begun := NOT_WHITE.search(match.string, match.start())) is not None:
                labels[first + begun.start()] = SAME | TOKEN
        for match in self._tokens.finditer(text) if self._tokens else ():
            self._fix_token(match, text, labels)
        return bytes(labels)

    def _fix_token(self, match: re.Match[str], text: str, labels: bytearray) -> None:
        """Separate a token from what is around it, and keep it in one piece but for its cuts."""
        start, end = match.span()
        if end < len(text) and category(text[end])[0] == "M":  # an accent of the last letter
            return
        for at in range(start + 1, end):
            labels[at] = TOKEN | SENTENCE
        for cut in self._cuts.get(match[0], ()):
            labels[start + cut] = SAME | SENTENCE
        after = end + text[end : end + 1].isspace()  # tokens do not go on across two spaces
        for at in (start, after):
            if at < len(text):
                labels[at] |= SAME


def _pattern(token: str) -> str:
    """Return a pattern for a token that is not a part of a longer word.

    >>> _pattern("Q4")
    '(?<!\\\\w)Q4(?!\\\\w)'
    """
    before = r"(?<!\w)" if re.match(r"\w", token) else ""
    after = r"(?!\w)" if re.match(r"\w", token[-1]) else ""
    return f"{before}{re.escape(token)}{after}"


def _cuts(pieces: Iterable[str]) -> list[int]:
    """Return where a token is cut, in characters from its start.

    >>> _cuts(["10", "km"])
    [2]
    """
    ends, at = [], 0
    for piece in pieces:
        at += len(piece)
        ends.append(at)
    return ends[:-1]


def _matches(patterns: Iterable[re.Pattern[str]], text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield the matches in each line, with the offset of the line."""
    first = 0
    for line in text.split("\n") if patterns else ():
        for pattern in patterns:
            yield from ((match, first) for match in pattern.finditer(line.removesuffix("\r")))
        first += len(line) + 1
