"""Reference implementation of beam search and its training (Aufrant, Wisniewski & Yvon 2017).

Lists are sorted, states are copied, derivations are explicit. A state is any value that can be
compared for equality.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

S = TypeVar("S")
Path = tuple[int, ...]  # the classes of the actions of a derivation


@dataclass(frozen=True)
class Successor(Generic[S]):
    """The state after a class, its score, and whether it costs nothing."""

    klass: int
    score: float
    state: S
    is_free: bool = False


@dataclass(frozen=True)
class Hypothesis(Generic[S]):
    """A derivation since the start of decoding, and its state."""

    state: S
    score: float = 0.0
    path: Path = ()
    is_correct: bool = True


@dataclass(frozen=True)
class Error(Generic[S]):
    """The positive and the negative example."""

    good: Hypothesis[S]
    bad: Hypothesis[S]


class Beam(Generic[S]):
    """A beam: at each step the best candidates, without duplicate states."""

    def __init__(
        self,
        width: int,
        is_final: Callable[[S], bool],
        successors: Callable[[S, Path], Sequence[Successor[S]]],
        *,
        is_static: bool = False,
    ) -> None:
        self.width = width
        self.is_final = is_final
        self.successors = successors
        self.is_static = is_static  # only the gold derivation itself is correct

    def candidates(self, beam: Sequence[Hypothesis[S]]) -> list[Hypothesis[S]]:
        """Extend every hypothesis by every action; final ones stay unchanged."""
        found = []
        for one in beam:
            if self.is_final(one.state):
                found.append(one)
                continue
            for after in self.successors(one.state, one.path):
                score, path = one.score + after.score, (*one.path, after.klass)
                correct = one.is_correct and after.is_free
                found.append(Hypothesis(after.state, score, path, correct))
        return found

    def cut(self, candidates: Sequence[Hypothesis[S]]) -> list[Hypothesis[S]]:
        """Keep the best, each state once; it is correct if one of its derivations is."""
        kept: list[Hypothesis[S]] = []
        for one in sorted(candidates, key=lambda one: -one.score)[: self.width]:
            twin = next((i for i, other in enumerate(kept) if other.state == one.state), None)
            if twin is None or (self.is_static and one.is_correct):
                kept.append(one)
            elif one.is_correct:
                kept[twin] = replace(kept[twin], is_correct=True)
        return kept

    def is_over(self, beam: Sequence[Hypothesis[S]]) -> bool:
        return all(self.is_final(one.state) for one in beam)

    def decode(self, start: S, n_steps: int | None = None) -> list[Hypothesis[S]]:
        """Return the beam after a number of steps, or at the end."""
        beam = [Hypothesis(start)]
        while not self.is_over(beam) and n_steps != 0:
            beam = self.cut(self.candidates(beam))
            n_steps = None if n_steps is None else n_steps - 1
        return beam

    def best_correct(self, hypotheses: Sequence[Hypothesis[S]]) -> Hypothesis[S] | None:
        correct = [one for one in hypotheses if one.is_correct]
        return max(correct, key=lambda one: one.score) if correct else None

    def error(self, start: S, update: str) -> Error[S] | None:
        """Find the error of algorithm 2, for early update, max-violation and full update."""
        beam = [Hypothesis(start)]
        good: Hypothesis[S] | None = beam[0]
        is_lost = False
        seen: list[Error[S]] = []
        while not self.is_over(beam) or (is_lost and good and not self.is_final(good.state)):
            candidates = self.candidates(beam)
            beam = self.cut(candidates)
            if is_lost:
                assert good is not None
                good = self.best_correct(self.candidates([good]))
            else:
                good = self.best_correct(beam)
                if good is None:
                    is_lost, good = True, self.best_correct(candidates)
            assert good is not None
            if not beam[0].is_correct:
                seen.append(Error(good, beam[0]))
            if is_lost and update == "early":
                return seen[-1]
        if beam[0].is_correct:
            return None
        if update == "max-violation":
            return max(seen, key=lambda error: error.bad.score - error.good.score)
        return seen[-1]


def difference(
    start: S, error: Error[S], step: Callable[[S, int], S], keys: Callable[[S], Sequence[int]]
) -> Counter[tuple[int, int]]:
    """Return the change of each weight (key, class): good features minus bad ones."""
    moved: Counter[tuple[int, int]] = Counter()
    for path, amount in ((error.good.path, 1), (error.bad.path, -1)):
        state = start
        for klass in path:
            for key in keys(state):
                moved[key, klass] += amount
            state = step(state, klass)
    return moved
