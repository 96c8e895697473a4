"""A simulated annotator: it knows the gold trees, and counts what annotating them costs.

A decision sets head and label of one word. What the parser guesses right and the annotator accepts
is no decision, but the sentence must have been looked at: glances count these visits, and judged
arcs are those that the annotator has looked at, set or accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import dodona


@dataclass
class Effort:
    """The cost of annotating: arcs set, visits of sentences, and arcs set or accepted."""

    n_set: int = 0
    n_glances: int = 0
    n_judged: int = 0


@dataclass
class Item:
    """A sentence of the pool with its gold tree, and the words whose arcs are annotated."""

    gold: dodona.Sentence
    known: set[int] = field(default_factory=set)

    @property
    def open(self) -> list[int]:
        """The words whose arcs are not annotated."""
        return [word for word in range(1, len(self.gold) + 1) if word not in self.known]

    def tree(self) -> dodona.Sentence:
        """Return the sentence as a partial tree: the arcs that are annotated, and no others."""
        heads, labels = self.gold.heads, self.gold.deprels
        return self.gold.replace(
            heads=[head if i in self.known else None for i, head in enumerate(heads, 1)],
            deprels=[label if i in self.known else "_" for i, label in enumerate(labels, 1)],
        )

    @cached_property
    def _crossing(self) -> set[int]:
        return crossing(self.gold.heads)

    def given(self) -> dodona.Given:
        """Return the annotated arcs for a projective parser, without those that cross others."""
        words = self.known - self._crossing
        return dodona.Given(
            heads={word: self.gold.heads[word - 1] or 0 for word in words},
            labels={word: self.gold.deprels[word - 1] for word in words},
        )

    def is_right(self, guess: dodona.Sentence, word: int) -> bool:
        """Say whether head and label of a word are those of the gold tree."""
        at = word - 1
        arc = guess.heads[at], guess.deprels[at]
        return arc == (self.gold.heads[at], self.gold.deprels[at])


def crossing(heads: Sequence[int | None]) -> set[int]:
    """Return the words whose arcs cross others.

    >>> crossing([2, 0, 1])
    {2, 3}
    """
    arcs = {i: (min(i, head or 0), max(i, head or 0)) for i, head in enumerate(heads, 1)}
    found = set()
    for word, (start, end) in arcs.items():
        for other, (first, last) in arcs.items():
            if start < first < end < last:
                found |= {word, other}
    return found


class Annotator:
    """Annotates words of sentences as their gold trees have them, and counts the effort."""

    def __init__(self) -> None:
        self.effort = Effort()

    def annotate(self, item: Item, words: Iterable[int]) -> None:
        """Set the arcs of these words, without looking at a guess."""
        words = {*words}
        self._visit(len(words))
        self.effort.n_set += len(words)
        item.known |= words

    def correct(self, item: Item, words: Iterable[int], parser: dodona.Parser) -> None:
        """Accept the arcs of these words, in this order, where the guess is right, or set them.

        After each arc that was set, the parser guesses the rest again around all that is annotated.
        """
        words = [*words]
        self._visit(len(words))
        guess = parser.parse(item.gold, given=item.given())
        for word in words:
            item.known.add(word)
            if not item.is_right(guess, word):
                self.effort.n_set += 1
                guess = parser.parse(item.gold, given=item.given())

    def _visit(self, n_words: int) -> None:
        self.effort.n_glances += 1
        self.effort.n_judged += n_words
