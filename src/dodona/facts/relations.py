"""The matches of the patterns of facts in a sentence, as relations between word numbers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dodona.query.pattern import Pattern

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence

Row = tuple[str, ...]


@cache
def _compiled(patterns: Row) -> list[tuple[Pattern, dict[str, int]]]:
    """Return the patterns, each with the places of its names: quicker than words by name."""
    compiled = map(Pattern, patterns)
    return [(pattern, pattern.name_places) for pattern in compiled]


class Relations:
    """The matches of patterns in one sentence; words are numbers, from 1."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self._found: dict[tuple[Row, str, str], dict[int, list[int]]] = {}

    def words(self, patterns: Row) -> list[int]:
        """Return the words that match as `p`, in order."""
        found = set[int]()
        for pattern, places in _compiled(patterns):
            found.update(match.ids[places["p"]] for match in pattern.matches(self.sentence))
        return sorted(found)

    def of(self, word: int, patterns: Row, to: str, source: str = "p") -> list[int]:
        """Return the words named `to` in matches where the word is named `source`."""
        key = (patterns, source, to)
        if key not in self._found:
            self._found[key] = self._relation(patterns, source, to)
        return self._found[key].get(word, [])

    def _relation(self, patterns: Row, source: str, to: str) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for pattern, places in _compiled(patterns):
            for match in pattern.matches(self.sentence):
                ids = match.ids
                others = found.setdefault(ids[places[source]], [])
                if (other := ids[places[to]]) not in others:
                    others.append(other)
        return found
