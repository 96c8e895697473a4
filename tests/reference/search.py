"""Costs by exhaustive search: the definition (Goldberg & Nivre 2012, section 3.1), no formula.

The cost of an action is the rise in the smallest loss among all final states still reachable. It
works for any transition system with the methods of `System` whose derivations all end.
"""

from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, Protocol, TypeVar

Arc = tuple[int, str, int]  # head, label, dependent
Loss = Callable[[frozenset[Arc], frozenset[Arc]], int]  # (arcs of a final state, gold arcs)
S = TypeVar("S", bound=Hashable)


class Action(NamedTuple):
    """A move with its label; SHIFT and REDUCE have none."""

    move: str
    label: str | None


class System(Protocol[S]):
    """Interface of a transition system that can be searched."""

    def start(self, n: int) -> S:
        """Return the initial state of a sentence of n words."""

    def valid(self, state: S) -> list[Action]:
        """Return the actions whose preconditions hold; none in a final state."""

    def step(self, state: S, action: Action) -> S:
        """Return the state after a valid action."""

    def is_final(self, state: S) -> bool:
        """Whether the derivation may end here."""

    def arcs(self, state: S) -> frozenset[Arc]:
        """Return the arcs of a final state that the loss is computed from."""


def labelled(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    """Count the missing gold arcs; an arc with the wrong label counts as missing."""
    return len(gold - arcs)


def unlabelled(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    """Count the missing gold arcs, ignoring labels."""
    return len({(head, word) for head, _, word in gold} - {(head, word) for head, _, word in arcs})


def graded(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    """Count 2 for a missing gold arc, 1 for a wrong label only (footnote 6 of the paper)."""
    return labelled(arcs, gold) + unlabelled(arcs, gold)


LOSSES: dict[str, Loss] = {"labelled": labelled, "unlabelled": unlabelled, "graded": graded}


class Space(Generic[S]):
    """The states of a system and the steps between them, independent of gold trees."""

    def __init__(self, system: System[S]) -> None:
        self.system = system
        self._successors: dict[S, dict[Action, S]] = {}

    def successors(self, state: S) -> dict[Action, S]:
        """Return the state after each valid action."""
        if state not in self._successors:
            step, valid = self.system.step, self.system.valid
            self._successors[state] = {action: step(state, action) for action in valid(state)}
        return self._successors[state]

    def reachable(self, n: int) -> list[S]:
        """Return every state that is reachable in a sentence of n words, the initial one first."""
        states = {self.system.start(n): None}
        todo = list(states)
        for state in todo:
            new = [after for after in self.successors(state).values() if after not in states]
            states.update(dict.fromkeys(new))
            todo.extend(dict.fromkeys(new))
        return todo


class Definition(Generic[S]):
    """Costs against one gold tree or graph, by search through all continuations."""

    def __init__(self, space: Space[S], gold: frozenset[Arc], loss: Loss) -> None:
        self.space = space
        self.gold = gold
        self.loss = loss
        self._min_loss: dict[S, int] = {}

    def min_loss(self, state: S) -> int:
        """Return the smallest loss of all final states reachable from this one."""
        if state not in self._min_loss:
            system = self.space.system
            self._min_loss[state] = (
                self.loss(system.arcs(state), self.gold)
                if system.is_final(state)
                else min(map(self.min_loss, self.space.successors(state).values()))
            )
        return self._min_loss[state]

    def cost(self, state: S, action: Action) -> int:
        """Return the rise in the smallest reachable loss when a valid action is taken."""
        return self.min_loss(self.space.successors(state)[action]) - self.min_loss(state)

    def costs(self, state: S) -> dict[Action, int]:
        """Return the cost of every valid action."""
        return {action: self.cost(state, action) for action in self.space.successors(state)}
