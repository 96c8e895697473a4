"""The matches of the patterns of facts in a sentence, as relations between word numbers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dodona.query.pattern import Pattern

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence

Row = tuple[str, ...]


@cache
def _compiled(patterns: Row) -> tuple[Pattern, ...]:
    return tuple(map(Pattern, patterns))


class Relations:
    """The matches of patterns in one sentence; words are numbers, from 1."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self._found: dict[tuple[Row, str, str], dict[int, list[int]]] = {}

    def words(self, patterns: Row) -> list[int]:
        """Return the words that match as `p`, in order."""
        found = (pattern.matches(self.sentence) for pattern in _compiled(patterns))
        return sorted({match["p"].id for matches in found for match in matches})

    def of(self, word: int, patterns: Row, to: str, source: str = "p") -> list[int]:
        """Return the words named `to` in matches where the word is named `source`."""
        key = (patterns, source, to)
        if key not in self._found:
            self._found[key] = self._relation(patterns, source, to)
        return self._found[key].get(word, [])

    def _relation(self, patterns: Row, source: str, to: str) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for pattern in _compiled(patterns):
            for match in pattern.matches(self.sentence):
                others = found.setdefault(match[source].id, [])
                if (other := match[to].id) not in others:
                    others.append(other)
        return found
