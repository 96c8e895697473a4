"""Matches of patterns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence
    from dodona.treebank.word import Word


class Match:
    """The words of a sentence that match a pattern, in the order of the pattern.

    A name of a sequence may stand for several words, or for none; a name of a tree stands for one.

    >>> from dodona import Pattern, Sentence
    >>> oaks = Sentence.from_columns(
    ...     ["Old", "oaks", "speak"], upos=["ADJ", "NOUN", "VERB"], heads=[2, 3, 0],
    ...     deprels=["amod", "nsubj", "root"])
    >>> (match,) = Pattern("deprel=root as verb >nsubj * as subject").matches(oaks)
    >>> match, match["subject"], match.words
    (<Match verb=speak subject=oaks>, <Word 2 oaks>, [<Word 3 speak>, <Word 2 oaks>])
    >>> (match,) = Pattern("[upos=ADJ]* as before [upos=NOUN]").matches(oaks)
    >>> match, match.words_of("before"), match.words
    (<Match before=Old oaks>, [<Word 1 Old>], [<Word 1 Old>, <Word 2 oaks>])
    """

    __slots__ = ("_named", "_positions", "sentence")

    def __init__(
        self, sentence: Sentence, positions: tuple[int, ...], named: Mapping[str, range]
    ) -> None:
        self.sentence = sentence
        self._positions = positions
        self._named = named  # places among the positions

    @property
    def words(self) -> list[Word]:
        """Matched words, in the order of the pattern."""
        return [self.sentence[position] for position in self._positions]

    @property
    def ids(self) -> list[int]:
        """Numbers of the matched words, from 1."""
        return [position + 1 for position in self._positions]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pattern."""
        return tuple(self._named)

    def words_of(self, name: str) -> list[Word]:
        """Return the words with a name of the pattern."""
        if name not in self._named:
            names = ", ".join(self._named) or "none (give some: upos=VERB as verb)"
            raise KeyError(f"the pattern has no word named {name!r}; its names: {names}")
        return [self.sentence[self._positions[place]] for place in self._named[name]]

    def __getitem__(self, key: str | int) -> Word:
        """Return the word with a name, or at an index of the pattern, from 0.

        Of several words with that name, the first is returned whose head is not among them.
        """
        if isinstance(key, int):
            return self.sentence[self._positions[key]]
        found = self.words_of(key)
        if not found:
            raise KeyError(f"{key!r} has no words in this match")
        ids = {word.id for word in found}
        return next((word for word in found if word.head not in ids), found[0])

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __repr__(self) -> str:
        first = {places[0]: name for name, places in self._named.items() if places}
        words = [
            f"{first[i]}={word.form}" if i in first else word.form
            for i, word in enumerate(self.words)
        ]
        return f"<Match {' '.join(words)}>"
