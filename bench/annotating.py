"""Strategies of annotating a pool of sentences, and the rounds in which they proceed."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator import Annotator, Item

import dodona

LEAST = 5  # sentences of a round …
GROWTH, COARSE_GROWTH = 0.25, 0.4  # … or a share of those before, larger if nothing is guessed
EPOCHS = 8  # of the linear parser: no worse than 15 on 25 to 1,000 sentences of cy_ccg and ta_ttb
CANDIDATES = 500  # sentences among which those of a round are chosen
UNSURE, ERRORS, DISPUTED = "least sure", "most errors expected", "most disputed"
CHOICES = (UNSURE, ERRORS, DISPUTED)


@dataclass(frozen=True)
class Strategy:
    """A way to annotate a pool of sentences."""

    name: str
    constrained: bool = False  # guesses are corrected, and the rest is guessed again around that
    asked: float = 1.0  # the share of a sentence's words that are asked for at a visit
    choice: str = ""  # which sentences come first, a name of `CHOICES`; else those of the pool

    @property
    def growth(self) -> float:
        """The size of a round as a share of the sentences before."""
        return GROWTH if self.constrained or self.asked < 1 else COARSE_GROWTH


FULL = Strategy("full annotation")
STRATEGIES = (
    FULL,
    Strategy("constrained parsing", constrained=True),
    Strategy("partial trees", asked=1 / 3),
    Strategy("choice of sentences", choice=ERRORS),
    Strategy("all three", constrained=True, asked=1 / 2, choice=ERRORS),
)


@dataclass(frozen=True)
class Limits:
    """When to stop: sentences visited, and decisions together with glances."""

    n_sentences: int
    n_decisions: float = math.inf


class Workplace:
    """A pool of sentences, the annotator, and the parser that learns from what is annotated."""

    def __init__(self, pool: Sequence[dodona.Sentence], strategy: Strategy, seed: int) -> None:
        self.items = [Item(sentence) for sentence in pool]
        self.strategy, self.seed = strategy, seed
        self.random = random.Random(seed)
        self.annotator = Annotator()
        self.visited: list[Item] = []
        self.parser: dodona.Parser | None = None

    def rounds(self, limits: Limits) -> Iterator[None]:
        """Work until a limit is reached, or nothing is left to annotate; yield after each round."""
        while self._decisions() < limits.n_decisions:
            n_most = max(LEAST, int(self.strategy.growth * len(self.visited)))
            if not (items := self._next(n_most, limits.n_sentences)):
                return
            for item, words in items:
                is_beyond = not item.known and len(self.visited) >= limits.n_sentences
                if not is_beyond and self._decisions() < limits.n_decisions:
                    self._work(item, words)
            self.parser = self.learn(self.seed)
            yield

    def _decisions(self) -> int:
        return self.annotator.effort.n_set + self.annotator.effort.n_glances

    def learn(self, seed: int) -> dodona.Parser:
        """Return a linear parser that has learned all arcs that are annotated, and no others."""
        return dodona.train(self.annotated(), tags="gold", epochs=EPOCHS, seed=seed)

    def annotated(self) -> list[dodona.Sentence]:
        """Return the trees so far, most of them partial if the strategy makes such."""
        return [item.tree() for item in self.visited]

    def _next(self, n_most: int, n_sentences: int) -> list[tuple[Item, list[int]]]:
        """Return the sentences of the next round with the words to annotate."""
        fresh = [item for item in self.items if not item.known]
        if len(self.visited) >= n_sentences:
            fresh = []
        if self.parser is None or (self.strategy.asked == 1 and not self.strategy.choice):
            return [(item, item.open) for item in fresh[:n_most]]
        open_before = [item for item in self.visited if item.open]
        if not self.strategy.choice:  # in the order of the pool, visited again after all others
            found = (fresh or open_before)[:n_most]
            return [(item, self._asked(item, sure)) for item, sure in self._sure(found)]
        found = fresh + open_before
        rated = self._sure(self.random.sample(found, min(CANDIDATES, len(found))))
        worth = self._worth(rated)
        best = sorted(range(len(rated)), key=worth.__getitem__, reverse=True)[:n_most]
        return [(rated[i][0], self._asked(*rated[i])) for i in best]

    def _worth(self, rated: Sequence[tuple[Item, dict[int, float]]]) -> list[float]:
        """Return how much each sentence is worth annotating, by the choice of the strategy."""
        if self.strategy.choice == DISPUTED:
            return self._disputes([item for item, _ in rated])
        errors = [sum(1 - one for one in sure.values()) for _, sure in rated]
        if self.strategy.choice == ERRORS:
            return errors
        return [n / len(sure) for n, (_, sure) in zip(errors, rated, strict=True)]

    def _disputes(self, items: Sequence[Item]) -> list[float]:
        """Return for each sentence the share of open arcs that a second parser builds otherwise."""
        assert self.parser is not None
        golds = [item.gold for item in items]
        pairs = zip(self.parser.pipe(golds), self.learn(self.seed + 1000).pipe(golds), strict=True)
        return [
            sum(_arc(one, word) != _arc(other, word) for word in item.open) / len(item.open)
            for item, (one, other) in zip(items, pairs, strict=True)
        ]

    def _sure(self, items: Sequence[Item]) -> list[tuple[Item, dict[int, float]]]:
        """Return sentences with the parser's confidence in each arc that is not annotated."""
        assert self.parser is not None
        parsed = self.parser.pipe([item.gold for item in items], confidence=True)
        return [
            (item, {i: _confidence(one, i) for i in item.open})
            for item, one in zip(items, parsed, strict=True)
        ]

    def _asked(self, item: Item, sure: dict[int, float]) -> list[int]:
        """Return the words to annotate: all in reading order, or the least sure ones first."""
        if self.strategy.asked == 1:
            return item.open
        return sorted(sure, key=sure.__getitem__)[: math.ceil(self.strategy.asked * len(item.gold))]

    def _work(self, item: Item, words: list[int]) -> None:
        if not item.known:
            self.visited.append(item)
        if self.parser is not None and self.strategy.constrained:
            self.annotator.correct(item, words, self.parser)
        else:
            self.annotator.annotate(item, words)


def _arc(sentence: dodona.Sentence, word: int) -> tuple[int | None, str]:
    return sentence.heads[word - 1], sentence.deprels[word - 1]


def _confidence(sentence: dodona.Sentence, word: int) -> float:
    """Return how sure a parser is of a word's head and label."""
    found = sentence[word - 1]
    assert found.confidence is not None and found.deprel_confidence is not None
    return found.confidence * found.deprel_confidence
