"""Spans from word to word, and which of them one crosses, without a look at all of them.

Two spans cross if one begins within the other and ends beyond it. So a span is asked, of those that
begin within it, for the one that reaches furthest, and the same from right to left: two trees of
maxima tell.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]  # the word at its left end, and at its right


class Spans:
    """A set of spans between these words.

    >>> spans = Spans(range(1, 6))
    >>> spans.add((1, 3))
    >>> spans.has_crossing((2, 4)), spans.has_crossing((1, 4)), list(spans.crossing((2, 5)))
    (True, False, [(1, 3)])
    """

    def __init__(self, words: Iterable[int]) -> None:
        self.words = sorted(words)
        self.rank = {word: i for i, word in enumerate(self.words)}
        self.last = len(self.words) - 1
        self.from_left, self.from_right = _Reach(len(self.words)), _Reach(len(self.words))

    def add(self, span: Span) -> None:
        start, end = self._ranks(span)
        self.from_left.add(start, end)
        self.from_right.add(self.last - end, self.last - start)

    def remove(self, span: Span) -> None:
        start, end = self._ranks(span)
        self.from_left.remove(start, end)
        self.from_right.remove(self.last - end, self.last - start)

    def has_crossing(self, span: Span) -> bool:
        """Whether one of them crosses the span."""
        start, end = self._ranks(span)
        return self.from_left.leaves(start, end) or self.from_right.leaves(
            self.last - end, self.last - start
        )

    def crossing(self, span: Span) -> Iterator[Span]:
        """All of them that cross the span; meanwhile none may be added or removed."""
        start, end = self._ranks(span)
        for first, last in self.from_left.leaving(start, end):
            yield self.words[first], self.words[last]
        for first, last in self.from_right.leaving(self.last - end, self.last - start):
            yield self.words[self.last - last], self.words[self.last - first]

    def _ranks(self, span: Span) -> Span:
        return self.rank[span[0]], self.rank[span[1]]


class _Reach:
    """Spans by where they begin, under a tree of how far to the right they reach."""

    def __init__(self, n_words: int) -> None:
        self.n_leaves = 1 << n_words.bit_length()
        self.furthest = [-1] * (2 * self.n_leaves)  # of 2i and 2i + 1 in i; the leaves come last
        self.ends: list[list[int]] = [[] for _ in range(n_words)]

    def add(self, start: int, end: int) -> None:
        insort(self.ends[start], end)
        self._update(start)

    def remove(self, start: int, end: int) -> None:
        del self.ends[start][bisect_left(self.ends[start], end)]
        self._update(start)

    def leaves(self, start: int, end: int) -> bool:
        """Whether a span begins within this one and ends beyond it."""
        low, high = start + 1 + self.n_leaves, end + self.n_leaves
        while low < high:
            if low & 1:
                if self.furthest[low] > end:
                    return True
                low += 1
            if high & 1:
                high -= 1
                if self.furthest[high] > end:
                    return True
            low, high = low >> 1, high >> 1
        return False

    def leaving(self, start: int, end: int) -> Iterator[Span]:
        """Every span that begins within this one and ends beyond it."""
        todo = [(1, 0, self.n_leaves)]  # a node of the tree, and the words that it holds
        while todo:
            node, low, high = todo.pop()
            if self.furthest[node] <= end or high <= start + 1 or low >= end:
                continue
            if node >= self.n_leaves:
                ends = self.ends[low]
                yield from ((low, last) for last in ends[bisect_right(ends, end) :])
            else:
                middle = (low + high) // 2
                todo += [(2 * node, low, middle), (2 * node + 1, middle, high)]

    def _update(self, start: int) -> None:
        node = start + self.n_leaves
        self.furthest[node] = self.ends[start][-1] if self.ends[start] else -1
        while node > 1:
            node //= 2
            self.furthest[node] = max(self.furthest[2 * node], self.furthest[2 * node + 1])
