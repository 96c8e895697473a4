"""Strongly connected components (Tarjan 1972), without recursion: a chain may be of any length."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(
    starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]
) -> Iterator[list[Node]]:
    """Nodes that lead to each other, component by component, for all that the starts lead to.

    A component comes after every other one that it leads to.

    >>> list(components("a", {"a": "b", "b": "c", "c": "bd", "d": ""}.__getitem__))
    [['d'], ['c', 'b'], ['a']]
    """
    lowest: dict[Node, int] = {}  # the first node on the path that is known to be reached
    path: list[tuple[Node, int, Iterator[Node]]] = []  # a node, its number, where it still leads
    waiting: list[Node] = []  # seen, and not in a component yet
    done: set[Node] = set()
    for start in starts:
        if start in lowest:
            continue
        path.append((start, len(lowest), iter(following(start))))
        lowest[start] = len(lowest)
        waiting.append(start)
        while path:
            node, number, rest = path[-1]
            for other in rest:
                if other not in lowest:
                    path.append((other, len(lowest), iter(following(other))))
                    lowest[other] = len(lowest)
                    waiting.append(other)
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
