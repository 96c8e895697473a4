"""The ways from words up through empty nodes to other words, each with the labels it passes.

A way passes no node twice. Ways that begin the same share their beginning, so that a chain of nodes
costs no more than its length, and ways with the same labels are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from dodona.errors import DodonaError
from dodona.treebank.graphs.components import components

Heads: TypeAlias = dict[str, list[tuple[str, str]]]  # id of a node → (id of a head, label)
Way: TypeAlias = int  # its number; ~7 is the one that has not left word 7 yet

# Steps on ways through empty nodes, for each word and node of a sentence. In 10,000 sentences of UD
# it is 0.3 at the most; but sixteen pairs of nodes above each other can be passed in 65,536 ways.
MOST_STEPS = 100


class TooManyWaysError(DodonaError, ValueError):
    """The heads of empty nodes can be combined in more ways than anybody means."""

    def __init__(self, node: str, most_steps: int) -> None:
        super().__init__(
            "leads up through empty nodes in too many ways, or over too many of them: in this "
            f"sentence that takes more than {most_steps:,} steps, {MOST_STEPS} for each word and "
            "node; give its empty nodes fewer heads"
        )
        self.node = node


def ways_up(heads: Heads, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(word, head, label) for each way from a word up to another, or to the root.

    >>> heads = {"1": [("0", "root")], "2": [("2.1", "nsubj")], "2.1": [("1", "conj")]}
    >>> list(ways_up(heads, ["1", "2"]))
    [(1, 0, 'root'), (2, 1, 'conj>nsubj')]
    """
    ways = _Ways(heads, words)
    for word in words:
        for head, label in heads[word]:
            if not _is_empty(head):
                yield int(word), int(head), label
            else:
                for top, above in ways.spell_all(head, word):
                    yield int(word), top, f"{above}>{label}"


def _is_empty(node: str) -> bool:
    return "." in node


class _Ways:
    """The ways down to every empty node above the words."""

    def __init__(self, heads: Heads, words: Iterable[str]) -> None:
        self.heads = heads
        self.most_steps = MOST_STEPS * len(heads)
        self.n_steps = 0
        self.steps: list[tuple[Way, str]] = []  # of each way: the one it goes on from, the label
        self.numbers: dict[tuple[Way, str], Way] = {}  # of each step
        self.down_to: dict[str, set[Way]] = {}
        starts = (node for word in words for node in self._nodes_above(word))
        for component in components(starts, self._nodes_above):
            for node in component:
                self.down_to[node] = self._find(node, set(component))

    def spell_all(self, node: str, word: str) -> Iterator[tuple[int, str]]:
        """(word at the top, labels) of the ways down to an empty node, which a word asks for."""
        for way in self.down_to[node]:
            labels = []
            while way >= 0:
                way, label = self.steps[way]
                labels.append(label)
            self._spend(len(labels), word)
            yield ~way, ">".join(reversed(labels))

    def _nodes_above(self, node: str) -> Iterator[str]:
        return (head for head, _ in self.heads[node] if _is_empty(head))

    def _find(self, node: str, circle: set[str]) -> set[Way]:
        """The ways down to a node through those of its circle; ways to the nodes above are known.

        Depth first: each way up within the circle, and from wherever a head is outside of it.
        """
        found: set[Way] = set()
        path, labels = {node: iter(self.heads[node])}, [""]
        while path:
            for head, label in path[next(reversed(path))]:
                if head not in circle:
                    below = [label, *reversed(labels[1:])]
                    ways = self.down_to[head] if _is_empty(head) else {~int(head)}
                    found.update(self._go_down(way, below) for way in ways)
                    self._spend(len(ways) * len(below), node)
                elif head not in path:
                    path[head] = iter(self.heads[head])
                    labels.append(label)
                    self._spend(1, node)
                    break
            else:
                path.popitem()
                labels.pop()
        return found

    def _go_down(self, way: Way, labels: Iterable[str]) -> Way:
        for label in labels:
            if (way, label) not in self.numbers:
                self.numbers[way, label] = len(self.steps)
                self.steps.append((way, label))
            way = self.numbers[way, label]
        return way

    def _spend(self, n_steps: int, node: str) -> None:
        self.n_steps += n_steps
        if self.n_steps > self.most_steps:
            raise TooManyWaysError(node, self.most_steps)
