"""Strongly connected components (Tarjan 1972), without recursion: chains may have any length."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def components(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> Iterator[list[T]]:
    """Yield the strongly connected components of all nodes that can be reached from the starts.

    A component comes after every other one that it leads to.

    >>> list(components("a", {"a": "b", "b": "c", "c": "bd", "d": ""}.__getitem__))
    [['d'], ['c', 'b'], ['a']]
    """
    lowest: dict[T, int] = {}  # the smallest number known to be reached
    path: list[tuple[T, int, Iterator[T]]] = []  # node, its number, its remaining successors
    waiting: list[T] = []  # visited, and not in a component yet
    done: set[T] = set()

    def visit(node: T) -> None:
        path.append((node, len(lowest), iter(following(node))))
        lowest[node] = len(lowest)
        waiting.append(node)

    for start in starts:
        if start not in lowest:
            visit(start)
        while path:
            node, number, rest = path[-1]
            for other in rest:
                if other not in lowest:
                    visit(other)
                    break
                if other not in done:
                    lowest[node] = min(lowest[node], lowest[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == number:
                    found = [waiting.pop()]
                    while found[-1] != node:
                        found.append(waiting.pop())
                    done.update(found)
                    yield found
