"""Graphs without cycles: the shortest arc that lies on one is turned, until there is none.

That alone need not end (1→2, 1→3, 2→4, 3→2, 4→1 turns one arc for ever), so an arc is dropped
instead where its two words were turned before, or are joined the other way as well: of the two, the
arc whose dependent has another head. It cannot be undone.

What is done to an arc of a cycle closes no cycle with words outside its circle of words, which all
lead to each other. So an arc that lies on no cycle never will, circles do not meddle with each
other, and any two words are looked at once: the nearest first, then the leftmost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dodona.treebank.graphs.components import components
from dodona.treebank.graphs.enhanced import Arc

# For each arc of a circle all its words may have to be searched: some two seconds, with so many.
MOST_ARCS_TIMES_WORDS = 4_000_000


class Acyclic(NamedTuple):
    """A graph without cycles, and what it took."""

    arcs: frozenset[Arc]
    n_turned: int
    n_dropped: int


def remove_cycles(arcs: Iterable[Arc]) -> Acyclic:
    """The graph with arcs turned, or dropped, until it has no cycle.

    >>> remove_cycles([(0, "root", 1), (1, "obj", 2), (2, "acl", 3), (3, "nsubj", 1)]).n_turned
    1
    """
    left = set(arcs)
    n_heads = Counter(word for _, _, word in left)
    n_turned = n_dropped = 0
    for circle in _circles(left, n_heads):
        left.difference_update(circle.arcs())
        for one, other in circle.pairs():
            is_turned = False
            while circle.are_on_cycle(one, other):
                head, label, dependent = arc = circle.choose(one, other)
                circle.remove(arc)
                if is_turned or circle.labels(dependent, head):
                    n_dropped += 1
                else:
                    circle.add((dependent, label, head))
                    is_turned = True
                    n_turned += 1
        left.update(circle.arcs())
    return Acyclic(frozenset(left), n_turned, n_dropped)


def _circles(arcs: set[Arc], n_heads: Counter[int]) -> Iterator[_Circle]:
    """The words that lead to each other, with the arcs between them."""
    below: dict[int, list[int]] = {}
    for head, _, word in arcs:
        below.setdefault(head, []).append(word)
    found = list(components(below, lambda node: below.get(node, ())))
    circle_of = {node: i for i, nodes in enumerate(found) for node in nodes}
    inside: dict[int, list[Arc]] = {}
    for arc in arcs:
        if circle_of[arc[0]] == circle_of[arc[2]]:
            inside.setdefault(circle_of[arc[0]], []).append(arc)
    for i, its_arcs in inside.items():
        if len(its_arcs) * len(found[i]) > MOST_ARCS_TIMES_WORDS:
            raise ValueError(
                f"{len(its_arcs):,} arcs between {len(found[i]):,} words that all lead to each "
                f"other, from word {min(found[i])} to {max(found[i])}, are too many to take the "
                f"cycles out (arcs times words: {MOST_ARCS_TIMES_WORDS:,} at the most); leave out "
                "some of them"
            )
        yield _Circle(found[i], its_arcs, n_heads)


class _Circle:
    """Words that lead to each other, by numbers of their own, so that sets of them are integers.

    As arcs are turned and dropped it falls into *parts*: no cycle goes through two of them.
    """

    def __init__(self, words: list[int], arcs: Iterable[Arc], n_heads: Counter[int]) -> None:
        self.n_heads = n_heads  # of the whole graph
        self.bits = {word: 1 << i for i, word in enumerate(words)}
        self.words = words
        self.by_ends: dict[tuple[int, int], set[str]] = {}
        self.below = dict.fromkeys(words, 0)
        self.above = dict.fromkeys(words, 0)
        for arc in arcs:
            self._put(arc)
        self.part_of = dict.fromkeys(words, (1 << len(words)) - 1)

    def arcs(self) -> Iterator[Arc]:
        for (head, word), labels in self.by_ends.items():
            for label in labels:
                yield head, label, word

    def pairs(self) -> list[tuple[int, int]]:
        """Every two words with an arc between them, the nearest first, then the leftmost."""
        found = {(min(ends), max(ends)) for ends in self.by_ends}
        return sorted(found, key=lambda pair: (pair[1] - pair[0], pair))

    def labels(self, head: int, word: int) -> set[str]:
        """Of the arcs from one word to another."""
        return self.by_ends.get((head, word), set())

    def are_on_cycle(self, one: int, other: int) -> bool:
        """Whether the arcs between two words are; all of them are, or none."""
        if self.labels(one, other) and self.labels(other, one):
            return True
        if not self.part_of[one] & self.bits[other]:
            return False
        head, word = (one, other) if self.labels(one, other) else (other, one)
        return bool(self.labels(head, word)) and self._leads_to(word, head)

    def choose(self, one: int, other: int) -> Arc:
        """The arc between two words to turn or drop: rather not the only one into its word."""
        ways = {(one, other), (other, one)}
        arcs = [(head, label, word) for head, word in ways for label in self.labels(head, word)]
        return min(arcs, key=lambda arc: (self.n_heads[arc[2]] == 1, arc))

    def add(self, arc: Arc) -> None:
        self._put(arc)
        self.n_heads[arc[2]] += 1

    def remove(self, arc: Arc) -> None:
        head, label, word = arc
        self.by_ends[head, word].remove(label)
        self.n_heads[word] -= 1
        if not self.by_ends[head, word]:
            self.below[head] &= ~self.bits[word]
            self.above[word] &= ~self.bits[head]

    def _put(self, arc: Arc) -> None:
        head, label, word = arc
        self.by_ends.setdefault((head, word), set()).add(label)
        self.below[head] |= self.bits[word]
        self.above[word] |= self.bits[head]

    def _leads_to(self, start: int, goal: int) -> bool:
        """Whether there is a path, looked for from both ends; if there is none, they are parted."""
        part = self.part_of[start]
        ways = self.below, self.above
        seen = [self.bits[start], self.bits[goal]]
        edges = list(seen)
        while edges[0] and edges[1]:
            side = int(edges[0].bit_count() > edges[1].bit_count())
            found = 0
            for word in self._words_in(edges[side]):
                found |= ways[side][word]
            edges[side] = found & part & ~seen[side]
            seen[side] |= edges[side]
            if seen[0] & seen[1]:
                return True
        all_seen = seen[1] if edges[0] else seen[0]
        self._part(all_seen)
        self._part(part & ~all_seen)
        return False

    def _part(self, words: int) -> None:
        """Make a part of these words; those with no way into it, or none out of it, leave it."""
        todo = list(self._words_in(words))
        while todo:
            word = todo.pop()
            above, below, bit = self.above[word] & words, self.below[word] & words, self.bits[word]
            if bit & words and not (above and below):
                words ^= bit
                self.part_of[word] = bit
                todo += self._words_in(above | below)
        for word in self._words_in(words):
            self.part_of[word] = words

    def _words_in(self, bits: int) -> Iterator[int]:
        while bits:
            lowest = bits & -bits
            yield self.words[lowest.bit_length() - 1]
            bits ^= lowest
