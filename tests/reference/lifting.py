"""Reference implementation of `treebank/graphs`, which documents the purpose of each function.

Cycles, crossing arcs and lifted arcs follow their definitions: every step examines all arcs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator

Arc = tuple[int, str, int]
UP, AND, BACK = "↑", "|", "⇄"


def remove_cycles(arcs: Iterable[Arc]) -> tuple[frozenset[Arc], int, int]:
    """Turn or drop arcs until the graph has no cycle."""
    left = set(arcs)
    turned: set[frozenset[int]] = set()
    n_turned = n_dropped = 0
    while on_cycles := _arcs_on_cycles(left):
        n_heads = Counter(word for _, _, word in left)
        arc = min(on_cycles, key=lambda arc: (*_by_length(arc)[:2], n_heads[arc[2]] == 1, arc))
        head, label, dependent = arc
        left.remove(arc)
        pair = frozenset((head, dependent))
        if pair in turned or any((h, d) == (dependent, head) for h, _, d in left):
            n_dropped += 1
        else:
            left.add((dependent, label, head))
            turned.add(pair)
            n_turned += 1
    return frozenset(left), n_turned, n_dropped


def planarise(arcs: Iterable[Arc], joined: str) -> tuple[frozenset[Arc], int, int]:
    """Lift crossing arcs; `joined` chooses what happens to arcs between joined words."""
    arcs = set(arcs)
    # all heads that an arc has had, so that it does not circle in a cycle
    left: dict[Arc, set[int]] = {arc: {arc[0]} for arc in arcs if arc[0] != arc[2]}
    n_lifted, n_dropped = 0, len(arcs) - len(left)
    while (arc := _shortest_crossing(left)) is not None:
        past = left.pop(arc)
        lifted = _lift(left, arc, past)
        if lifted is None or (joined == "drop" and _are_joined(left, lifted)):
            n_dropped += 1
        else:
            n_lifted += lifted not in left
            n_dropped += lifted in left
            left.setdefault(lifted, set()).update(past | {lifted[0]})
    return _join(left) if joined == "label" else frozenset(left), n_lifted, n_dropped


def deplanarise(arcs: Iterable[Arc]) -> frozenset[Arc]:
    """Put lifted arcs back where their labels point; any graph is accepted."""
    left = set(_part(arcs))
    places = _top_down(left)
    lifted = [arc for arc in left if UP in arc[1]]
    for arc in sorted(lifted, key=lambda arc: (places[arc[0]], places[arc[2]], arc[1])):
        head, label, dependent = arc
        plain, _, wanted = label.partition(UP)
        left.remove(arc)
        left.add((_find_head(left, head, wanted, dependent), plain, dependent))
    return frozenset(left)


def _by_length(arc: Arc) -> tuple[int, int, Arc]:
    """Return a sort key: shortest first, then leftmost."""
    return abs(arc[0] - arc[2]), min(arc[0], arc[2]), arc


def _dependents(arcs: Iterable[Arc]) -> dict[int, list[tuple[int, str]]]:
    """Return (dependent, label) by head, from left to right."""
    found: dict[int, list[tuple[int, str]]] = {}
    for head, label, dependent in sorted(arcs, key=lambda arc: (arc[2], arc[1])):
        found.setdefault(head, []).append((dependent, label))
    return found


def _arcs_on_cycles(arcs: set[Arc]) -> list[Arc]:
    """Find a cycle; words without further arcs are removed first, which usually leaves none."""
    rest, n_before = arcs, len(arcs) + 1
    while len(rest) < n_before:
        n_before = len(rest)
        heads, words = {head for head, _, _ in rest}, {word for _, _, word in rest}
        rest = {arc for arc in rest if arc[0] in words and arc[2] in heads}
    below = _dependents(rest)
    return [arc for arc in rest if arc[0] in _reachable(below, arc[2])]


def _reachable(below: dict[int, list[tuple[int, str]]], start: int) -> dict[int, int]:
    """Yield every reachable node in breadth-first order, with its rank."""
    places, todo = {start: 0}, deque([start])
    while todo:
        for dependent, _ in below.get(todo.popleft(), ()):
            if dependent not in places:
                places[dependent] = len(places)
                todo.append(dependent)
    return places


def _top_down(arcs: set[Arc]) -> dict[int, int]:
    """Return the breadth-first rank of each node from the root; unreachable ones come last."""
    below = _dependents(arcs)
    places = _reachable(below, 0)
    for node in sorted({node for head, _, word in arcs for node in (head, word)}):
        places.setdefault(node, len(places))
    return places


def _shortest_crossing(arcs: Iterable[Arc]) -> Arc | None:
    ordered = sorted(arcs, key=_by_length)
    spans = [(min(head, word), max(head, word)) for head, _, word in ordered]
    for arc, (left, right) in zip(ordered, spans, strict=True):
        if arc[0] != 0 and any(
            left < start < right < end or start < left < end < right for start, end in spans
        ):
            return arc
    return None


def _lift(arcs: Iterable[Arc], arc: Arc, past: set[int]) -> Arc | None:
    """Return the arc from the nearest head of its head that it has not had, or None."""
    old, label, dependent = arc
    above = [
        (abs(head - old), head, its_label)
        for head, its_label, word in arcs
        if word == old and head != dependent and head not in past
    ]
    if not above:
        return None
    _, head, its_label = min(above)
    return head, label if UP in label else label + UP + its_label.partition(UP)[0], dependent


def _are_joined(arcs: Iterable[Arc], new: Arc) -> bool:
    return any({new[0], new[2]} == {head, word} for head, _, word in arcs)


def _join(arcs: Iterable[Arc]) -> frozenset[Arc]:
    """Merge the arcs between two words into one, into the word that has fewer heads."""
    labels: dict[tuple[int, int], list[str]] = {}
    for head, label, word in sorted(arcs):
        labels.setdefault((head, word), []).append(label)
    n_heads = Counter(word for _, word in labels)
    joined = set()
    for (head, word), found in labels.items():
        back = labels.get((word, head), [])
        if back and (n_heads[head], head) < (n_heads[word], word):
            continue  # encoded by the arc in the opposite direction
        joined.add((head, BACK.join(AND.join(part) for part in (found, back) if part), word))
    return frozenset(joined)


def _part(arcs: Iterable[Arc]) -> Iterator[Arc]:
    """Split a merged arc into its arcs."""
    for head, label, word in arcs:
        there, _, back = label.partition(BACK)
        yield from ((head, part, word) for part in there.split(AND))
        yield from ((word, part, head) for part in back.split(AND) if part)


def _find_head(arcs: set[Arc], top: int, wanted: str, dependent: int) -> int:
    """Return the first node below `top` with an arc of that label: the origin of a lifted arc."""
    below = _dependents(arcs)
    seen, todo = {top, dependent}, deque([top])
    while todo:
        for node, label in below.get(todo.popleft(), ()):
            if node != dependent and label.partition(UP)[0] == wanted:
                return node
            if node not in seen:
                seen.add(node)
                todo.append(node)
    return top
