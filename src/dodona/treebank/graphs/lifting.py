"""Arcs lifted until none cross: which is next, and where to.

The next is the shortest that crosses another, then the leftmost; those from the root stay. Of two
arcs that cross, the shorter one *waits*, or the one that is not from the root. The longer one need
not: before its turn comes the shorter one is gone. An arc that crosses nothing when its turn comes
is *quiet* until an arc is lifted across it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from dodona.treebank.graphs.crossings import Span, Spans
from dodona.treebank.graphs.enhanced import Arc

UP = "↑"


class Lifting:
    """The arcs of a graph on their way up."""

    def __init__(self, arcs: Iterable[Arc]) -> None:
        # every head the arc ever had: in a cycle it must not go round
        self.past: dict[Arc, set[int]] = {arc: {arc[0]} for arc in arcs}
        nodes = {node for head, _, word in self.past for node in (head, word)}
        self.heads: dict[int, list[tuple[int, str]]] = {node: [] for node in nodes}  # sorted
        self.n_on: Counter[Span] = Counter()  # arcs on each span
        self.spans, self.quiet = Spans(nodes), Spans(nodes)
        self.quiet_on: dict[Span, list[Arc]] = {}
        for arc in self.past:
            self._put(arc)
        self.waiting = [(_length(_span(arc)), arc) for arc in self.past if arc[0] != 0]
        heapify(self.waiting)

    def take_next(self) -> tuple[Arc, set[int]] | None:
        """Take the next arc out of the graph, with all its heads; None if no arcs cross."""
        while self.waiting:
            _, arc = heappop(self.waiting)
            span = _span(arc)
            if self.spans.has_crossing(span):
                self._remove(arc)
                return arc, self.past.pop(arc)
            if span not in self.quiet_on:
                self.quiet.add(span)
            self.quiet_on.setdefault(span, []).append(arc)
        return None

    def lift(self, arc: Arc, past: set[int]) -> Arc | None:
        """The arc from the nearest head of its head that it has not had; None if there is none."""
        old, label, dependent = arc
        past.add(dependent)
        beside = self._heads_beside(old, past)
        past.remove(dependent)
        if not beside:
            return None
        head = min(beside, key=lambda head: (abs(head - old), head))
        its_label = self.heads[old][bisect_left(self.heads[old], (head, ""))][1]
        return head, label if UP in label else label + UP + its_label.partition(UP)[0], dependent

    def are_joined(self, arc: Arc) -> bool:
        """Whether the two words of an arc are, either way."""
        return self.n_on[_span(arc)] > 0

    def add(self, arc: Arc, past: set[int]) -> None:
        """Put a lifted arc into the graph; what it crosses is quiet no longer."""
        past.add(arc[0])
        if arc in self.past:
            self.past[arc] |= past
            return
        self.past[arc] = past
        self._put(arc)
        is_root, span = arc[0] == 0, _span(arc)
        if not is_root:
            heappush(self.waiting, (_length(span), arc))
        for other in list(self.quiet.crossing(span)):
            if is_root or _length(other) < _length(span):
                self.quiet.remove(other)
                for one in self.quiet_on.pop(other):
                    heappush(self.waiting, (_length(other), one))

    def _heads_beside(self, word: int, barred: set[int]) -> list[int]:
        """The nearest heads of a word to the left and to the right that are not barred."""
        heads, found = self.heads[word], []
        left = bisect_left(heads, (word, "")) - 1
        while left >= 0 and heads[left][0] in barred:
            left = bisect_left(heads, (heads[left][0], "")) - 1
        right = bisect_left(heads, (word + 1, ""))
        while right < len(heads) and heads[right][0] in barred:
            right = bisect_left(heads, (heads[right][0] + 1, ""))
        if left >= 0:
            found.append(heads[left][0])
        if right < len(heads):
            found.append(heads[right][0])
        return found

    def _put(self, arc: Arc) -> None:
        head, label, dependent = arc
        insort(self.heads[dependent], (head, label))
        span = _span(arc)
        if not self.n_on[span]:
            self.spans.add(span)
        self.n_on[span] += 1

    def _remove(self, arc: Arc) -> None:
        head, label, dependent = arc
        del self.heads[dependent][bisect_left(self.heads[dependent], (head, label))]
        span = _span(arc)
        self.n_on[span] -= 1
        if not self.n_on[span]:
            self.spans.remove(span)


def _span(arc: Arc) -> Span:
    return (arc[0], arc[2]) if arc[0] < arc[2] else (arc[2], arc[0])


def _length(span: Span) -> tuple[int, int]:
    """Shortest first, then leftmost."""
    return span[1] - span[0], span[0]
