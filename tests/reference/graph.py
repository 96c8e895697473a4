"""Reference implementations of the graph systems (Sagae & Tsujii 2008; Tokgöz & Eryiğit 2015).

The root 0 is at the bottom of the stack. Two nodes are joined by at most one arc. `acyclic` adds
the preconditions of the paper: no arc closes a cycle, graph-eager reduces only words with a head.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from random import Random
from typing import NamedTuple

from reference.search import Action, Arc, labelled, unlabelled
from reference.twins import twin

SHIFT = Action("SHIFT", None)
REDUCE = Action("REDUCE", None)
Links = tuple[tuple[int, int], ...]  # (head, dependent)


class State(NamedTuple):
    """Stack from bottom to top, buffer from front to back, arcs so far."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: frozenset[Arc]

    def has_head(self, word: int) -> bool:
        return any(dependent == word for _, _, dependent in self.arcs)

    def has_arc(self, head: int, dependent: int) -> bool:
        return any((h, d) == (head, dependent) for h, _, d in self.arcs)


class Graphs:
    """Base class of the two systems."""

    def __init__(self, labels: Sequence[str], acyclic: bool = False) -> None:
        self.labels = labels
        self.acyclic = acyclic

    def start(self, n: int) -> State:
        return State((0,), tuple(range(1, n + 1)), frozenset())

    def arcs(self, state: State) -> frozenset[Arc]:
        return state.arcs

    def can_link(self, state: State, head: int, dependent: int) -> bool:
        if dependent == 0 or state.has_arc(head, dependent) or state.has_arc(dependent, head):
            return False
        links = [(h, d) for h, _, d in state.arcs]
        return not (self.acyclic and head in descendants(links, dependent))

    def labelled(self, *moves: str) -> list[Action]:
        return [Action(move, label) for move in moves for label in self.labels]


@twin("graph-eager")
class GraphEager(Graphs):
    """Arcs join the top of the stack and the front of the buffer, and leave both in place."""

    def is_final(self, state: State) -> bool:
        return not state.buffer

    def valid(self, state: State) -> list[Action]:
        if self.is_final(state):
            return []
        actions = [SHIFT]
        s, b = state.stack[-1], state.buffer[0]
        if self.can_link(state, b, s):
            actions += self.labelled("LEFT-ARC")
        if self.can_link(state, s, b):
            actions += self.labelled("RIGHT-ARC")
        if s != 0 and (state.has_head(s) or not self.acyclic):
            actions += [REDUCE]
        return actions

    def step(self, state: State, action: Action) -> State:
        stack, buffer, arcs = state
        move, label = action
        if move == "SHIFT":
            return State((*stack, buffer[0]), buffer[1:], arcs)
        if move == "REDUCE":
            return State(stack[:-1], buffer, arcs)
        assert label is not None
        if move == "LEFT-ARC":
            return State(stack, buffer, arcs | {(buffer[0], label, stack[-1])})
        if move == "RIGHT-ARC":
            return State(stack, buffer, arcs | {(stack[-1], label, buffer[0])})
        raise ValueError(f"graph-eager has no move {move}")


@twin("graph-standard", exact=False)
class GraphStandard(Graphs):
    """Arcs join the two topmost nodes; a dependent is popped, kept, or put back."""

    def is_final(self, state: State) -> bool:
        return state.stack == (0,) and not state.buffer

    def valid(self, state: State) -> list[Action]:
        actions = [SHIFT] if state.buffer else []
        if len(state.stack) > 1:
            i, j = state.stack[-2:]
            if self.can_link(state, j, i):
                actions += self.labelled("LEFT-ATTACH")
            if self.can_link(state, j, i) or state.has_arc(j, i):
                actions += self.labelled("LEFT-REDUCE")
            if self.can_link(state, i, j):
                actions += self.labelled("RIGHT-ATTACH")
            if self.can_link(state, i, j) or state.has_arc(i, j):
                actions += self.labelled("RIGHT-REDUCE")
        return actions

    def step(self, state: State, action: Action) -> State:
        stack, buffer, arcs = state
        move, label = action
        if move == "SHIFT":
            return State((*stack, buffer[0]), buffer[1:], arcs)
        i, j = stack[-2:]
        assert label is not None
        direction, kind = move.split("-")
        head, dependent = (j, i) if direction == "LEFT" else (i, j)
        if not state.has_arc(head, dependent):
            arcs = arcs | {(head, label, dependent)}
        if move == "LEFT-ATTACH":
            return State(stack, buffer, arcs)
        if move == "RIGHT-ATTACH":
            return State(stack[:-1], (j, *buffer), arcs)
        assert kind == "REDUCE"
        return State((*stack[:-2], head), buffer, arcs)


# --- losses: gold arcs missing, and arcs that are not gold


def labelled_errors(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    return labelled(arcs, gold) + labelled(gold, arcs)


def unlabelled_errors(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    return unlabelled(arcs, gold) + unlabelled(gold, arcs)


def graded_errors(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    return labelled_errors(arcs, gold) + unlabelled_errors(arcs, gold)


LOSSES = {"labelled": labelled_errors, "unlabelled": unlabelled_errors, "graded": graded_errors}


# --- graphs


def descendants(links: Sequence[tuple[int, int]], node: int) -> set[int]:
    """Return a node and all its descendants."""
    found = {node}
    while more := {d for h, d in links if h in found} - found:
        found |= more
    return found


def is_acyclic(links: Links) -> bool:
    return all(head not in descendants(links, dependent) for head, dependent in links)


def is_headed(links: Links, n: int) -> bool:
    """Whether every word has a head."""
    return {dependent for _, dependent in links} == set(range(1, n + 1))


def cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted([sorted(one), sorted(other)])
    return a < c < b < d


def planar_graphs(n: int, *, both_ways: bool = False) -> Iterator[Links]:
    """Yield every graph over n words without crossing arcs; `both_ways` allows arcs back."""
    pairs = list(combinations(range(n + 1), 2))
    choices = [
        [(), ((i, j),)]
        + ([((j, i),)] if i else [])
        + ([((i, j), (j, i))] if i and both_ways else [])
        for i, j in pairs
    ]
    for chosen in product(*choices):
        links = tuple(link for links in chosen for link in links)
        if not any(cross(one, other) for one, other in combinations(links, 2)):
            yield links


def random_planar_graph(n: int, random: Random, *, acyclic: bool) -> Links:
    """Return a random graph without crossing arcs in which every word has a head."""
    links: list[tuple[int, int]] = []
    pairs = [(i, j) for i in range(n + 1) for j in range(1, n + 1) if i != j]
    while not is_headed(tuple(links), n):
        links = []
        for head, dependent in random.sample(pairs, len(pairs)):
            if (
                (dependent, head) not in links
                and not any(cross((head, dependent), other) for other in links)
                and not (acyclic and head in descendants(links, dependent))
                and (random.random() < 0.5 or not any(d == dependent for _, d in links))
            ):
                links.append((head, dependent))
    return tuple(links)


def arcs_of(links: Links, labels: Sequence[str], random: Random) -> frozenset[Arc]:
    """Return the graph with random labels."""
    return frozenset((head, random.choice(labels), dependent) for head, dependent in links)
