"""Removal of cycles: the shortest arc on a cycle is reversed, until no cycle is left.

Reversal alone need not end (1→2, 1→3, 2→4, 3→2, 4→1 reverses one arc for ever), so an arc is
dropped instead where an arc between its two words was reversed before, or where arcs connect them
in both directions: of the two, the arc whose dependent has another head. A dropped arc cannot be
restored.

Reversing or dropping an arc on a cycle closes no cycle with words outside its strongly connected
component. So an arc on no cycle never comes to lie on one, components do not affect each other, and
each pair of words is visited once: the nearest first, then the leftmost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from dodona.treebank.graphs.enhanced import GraphArc, components

# The search for a cycle visits all words of a component, for each of its arcs: up to 4 s.
MOST_ARCS_TIMES_WORDS = 4_000_000


class Acyclic(NamedTuple):
    """A graph without cycles, and the numbers of arcs reversed and dropped."""

    arcs: frozenset[GraphArc]
    n_turned: int
    n_dropped: int


def remove_cycles(arcs: Iterable[GraphArc]) -> Acyclic:
    """Reverse or drop arcs until the graph has no cycle.

    >>> remove_cycles([(0, "root", 1), (1, "obj", 2), (2, "acl", 3), (3, "nsubj", 1)]).n_turned
    1
    """
    left = set(arcs)
    on_cycles = _arcs_on_cycles(left)
    n_heads = Counter(word for _, _, word in left)
    between: dict[tuple[int, int], set[GraphArc]] = {}
    below: dict[int, set[int]] = {}
    for arc in on_cycles:
        between.setdefault((min(arc[0], arc[2]), max(arc[0], arc[2])), set()).add(arc)
        below.setdefault(arc[0], set()).add(arc[2])
    n_turned = n_dropped = 0
    for pair in sorted(between, key=lambda pair: (pair[1] - pair[0], pair)):
        is_turned = False
        while between[pair] and _is_on_cycle(next(iter(between[pair])), below):
            # preferably not the only arc into its word
            arc = min(between[pair], key=lambda arc: (n_heads[arc[2]] == 1, arc))
            head, label, word = arc
            between[pair].remove(arc)
            left.remove(arc)
            n_heads[word] -= 1
            ends = {(head, word) for head, _, word in between[pair]}
            if (head, word) not in ends:
                below[head].remove(word)
            if is_turned or (word, head) in ends:
                n_dropped += 1
            else:
                between[pair].add((word, label, head))
                left.add((word, label, head))
                n_heads[head] += 1
                below[word].add(head)
                is_turned = True
                n_turned += 1
    return Acyclic(frozenset(left), n_turned, n_dropped)


def _arcs_on_cycles(arcs: set[GraphArc]) -> list[GraphArc]:
    """Return the arcs within strongly connected components, none of which may be too large."""
    below: dict[int, list[int]] = {}
    for head, _, word in arcs:
        below.setdefault(head, []).append(word)
    found = list(components(below, lambda node: below.get(node, ())))
    component_of = {node: i for i, nodes in enumerate(found) for node in nodes}
    inside = [arc for arc in arcs if component_of[arc[0]] == component_of[arc[2]]]
    for i, n_arcs in Counter(component_of[head] for head, _, _ in inside).items():
        if n_arcs * len(found[i]) > MOST_ARCS_TIMES_WORDS:
            raise ValueError(
                f"{n_arcs:,} arcs between {len(found[i]):,} words that all lead to each other, "
                f"from word {min(found[i])} to {max(found[i])}, are too many to remove the cycles "
                f"(arcs times words: at most {MOST_ARCS_TIMES_WORDS:,}); leave out some of them"
            )
    return inside


def _is_on_cycle(arc: GraphArc, below: dict[int, set[int]]) -> bool:
    """Return whether a path leads from the dependent of an arc to its head."""
    seen: set[int] = set()
    edge = {arc[2]}
    while edge and arc[0] not in edge:
        seen |= edge
        edge = set[int]().union(*(below.get(word, ()) for word in edge)) - seen
    return bool(edge)
