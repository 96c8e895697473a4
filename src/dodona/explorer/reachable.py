"""The best tree reachable from a state, the gold arcs that it lacks, and its loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dodona.core.transitions.action import Action
from dodona.core.transitions.registry import find_system
from dodona.core.transitions.system import LOSSES
from dodona.explorer.fewest_swaps import FEW, LEFT_ARC, BestEnd, best_end

if TYPE_CHECKING:
    from dodona.core.transitions.gold import Gold
    from dodona.core.transitions.system import State, System

LabelledArc: TypeAlias = tuple[int, str | None, int]  # head, label (None: not annotated), dependent


SWAPPING = find_system("swap")
JOINT = find_system("arc-standard")  # counts the gold arcs that can be built together


class Reachable(NamedTuple):
    """The best tree or graph that is known to be reachable from a state."""

    arcs: frozenset[LabelledArc]  # of the tree or graph
    lost: frozenset[LabelledArc]  # gold arcs that it lacks
    loss: int  # as the system counts it
    actions: tuple[Action, ...]  # that lead to it
    is_best: bool  # proven: no reachable tree has a smaller loss
    is_shortest: bool  # proven: no fewer actions lead to that loss


def reach(system: System, state: State, gold: Gold) -> Reachable:
    """Follow the dynamic oracle from a state to a final state; of equal paths, the shortest.

    Only in swap do optimal actions lead to paths of different lengths.

    >>> import dodona
    >>> system = dodona.system("arc-eager", labels=["root", "obj"])
    >>> gold = dodona.Gold(heads=[0, 1], labels=["root", "obj"])
    >>> state = system.step(system.start(2), dodona.Action("SHIFT"))  # loses 0 → 1
    >>> found = reach(system, state, gold)
    >>> found.lost, found.loss, [str(action) for action in found.actions]
    (frozenset({(0, 'root', 1)}), 1, ['RIGHT-ARC:obj'])
    """
    end = best_swaps(system, state, gold)
    is_best = is_shortest = not costs_are_estimates(system, state, gold)
    if end is not None:
        is_best, is_shortest = end.is_shortest or not end.n_lost, end.is_shortest
    actions = []
    for action in _best_path(system, state, gold):
        actions.append(action)
        state = system.step(state, action)
    arcs = arcs_of(system, state)
    lost = find_missing(arcs, gold.arcs, with_labels=counts_labels(system))
    loss = _loss(system, arcs, gold)
    return Reachable(arcs, lost, loss, tuple(actions), is_best, is_shortest)


def costs_are_estimates(system: System, state: State, gold: Gold) -> bool:
    """Return whether the system's costs in this state may differ from exhaustive search.

    >>> import dodona
    >>> gold = dodona.Gold(heads=[3, 0, 2], labels=["dep"] * 3)  # 3 → 1 crosses 0 → 2
    >>> names = ["arc-eager", "arc-standard", "swap"]
    >>> systems = [dodona.system(name, labels=["dep"]) for name in names]
    >>> [costs_are_estimates(system, system.start(3), gold) for system in systems]
    [True, False, False]
    """
    if system.searches:
        return n_left(state) > system.exact_words
    if isinstance(system, JOINT):
        return False
    return _has_crossing(gold.arcs)


@lru_cache(maxsize=16)
def _has_crossing(arcs: frozenset[LabelledArc]) -> bool:
    """Return whether some arcs cross; cached, because every state of a path needs it."""
    return any(crossed(arc, arcs) for arc in arcs)


def best_swaps(system: System, state: State, gold: Gold) -> BestEnd | None:
    """Return the best end of a derivation of swap; None for other systems, or if none is found."""
    if not isinstance(system, SWAPPING):
        return None
    heads = {word: head for head, _, word in gold.arcs}
    return best_end(tuple(heads[i + 1] for i in range(len(state))), state.stack, state.buffer)


def n_left(state: State) -> int:
    """Count the words on the stack and in the buffer."""
    return sum(word != 0 for word in (*state.stack, *state.buffer))


def _best_path(system: System, state: State, gold: Gold) -> Iterator[Action]:
    labels = {word: label for _, label, word in gold.arcs}
    end = best_swaps(system, state, gold)
    while end is None and not system.is_final(state):
        action = _choose(system, state, gold, labels)
        yield action
        state = system.step(state, action)
        if n_left(state) <= FEW:
            end = best_swaps(system, state, gold)
    for move in () if end is None else end.moves:
        action = _with_label(system, state, move, labels)
        yield action
        state = system.step(state, action)


def _with_label(system: System, state: State, move: str, labels: dict[int, str | None]) -> Action:
    """Return a move of swap with the gold label of the word that it attaches."""
    if not move.endswith("ARC"):
        return Action(move)
    own = labels[state.stack[-2 if move == LEFT_ARC else -1]]
    return Action(move, own if own in system.labels else system.labels[0])


def _choose(system: System, state: State, gold: Gold, labels: dict[int, str | None]) -> Action:
    """Return an optimal action; a word that is attached wrongly keeps its gold label."""
    optimal = system.optimal(state, gold)
    if isinstance(system, SWAPPING):  # arcs first: what waits has to be swapped past
        optimal.sort(key=lambda action: action.label is None)
    first, *others = optimal
    if first.label is not None and others:
        for _, _, word in system.step(state, first).arcs - state.arcs:
            own = first._replace(label=labels.get(word))
            if own in others:
                return own
    return first


def arcs_of(system: System, state: State) -> frozenset[LabelledArc]:
    """Return the arcs of a state as the loss counts them.

    In the final state of a system without an artificial root, a word without a head counts as
    attached to the root.
    """
    if system.root != "none" or not system.is_final(state):
        return state.arcs
    attached = {dependent for _, _, dependent in state.arcs}
    left_over = set(range(1, len(state) + 1)) - attached
    return state.arcs | {(0, system.root_label, word) for word in left_over}


def find_missing(
    arcs: Iterable[LabelledArc], gold: Iterable[LabelledArc], *, with_labels: bool = True
) -> frozenset[LabelledArc]:
    """Return the gold arcs that are not among `arcs`; a gold label of None matches any.

    >>> find_missing([(1, "obj", 2)], [(1, "nsubj", 2), (0, "root", 1)], with_labels=False)
    frozenset({(0, 'root', 1)})
    """
    found = set(arcs)
    joined = {(head, dependent) for head, _, dependent in found}
    return frozenset(
        arc
        for arc in gold
        if arc not in found and ((arc[0], arc[2]) not in joined or (with_labels and arc[1]))
    )


def split_lost(
    lost: frozenset[LabelledArc], at_start: frozenset[LabelledArc]
) -> tuple[frozenset[LabelledArc], frozenset[LabelledArc]]:
    """Split unreachable gold arcs into those never reachable and those lost by some action.

    Of two crossing gold arcs, a projective system can build either one. If it builds the one that
    was unreachable at the start, the other counts as never reachable in its place.

    >>> first, second, third = (3, "acl", 6), (4, "obj", 7), (1, "det", 2)  # two of them cross
    >>> split_lost(frozenset({second, third}), at_start=frozenset({first}))
    (frozenset({(4, 'obj', 7)}), frozenset({(1, 'det', 2)}))
    """
    never = lost & at_start
    replaced = at_start - lost
    crossing = [arc for arc in lost - never if crossed(arc, replaced)]
    never |= frozenset(sorted(crossing, key=lambda arc: (arc[2], arc[0]))[: len(replaced)])
    return never, lost - never


def crossed(arc: LabelledArc, arcs: Iterable[LabelledArc]) -> frozenset[LabelledArc]:
    """Return the arcs that cross an arc.

    >>> crossed((2, "acl", 6), [(3, "advmod", 4), (0, "root", 3)])
    frozenset({(0, 'root', 3)})
    """
    start, end = sorted((arc[0], arc[2]))
    return frozenset(
        other
        for other in arcs
        for left, right in [sorted((other[0], other[2]))]
        if start < left < end < right or left < start < right < end
    )


def counts_labels(system: System) -> bool:
    """Return whether the system counts a wrong label as a loss."""
    _, label_price = LOSSES[system.loss]
    return label_price > 0


def _loss(system: System, arcs: frozenset[LabelledArc], gold: Gold) -> int:
    """Return the loss: missing gold arcs and, in graphs, arcs that are not gold."""
    arc_price, label_price = LOSSES[system.loss]
    n_arcs = len(find_missing(arcs, gold.arcs, with_labels=False))
    n_labels = len(find_missing(arcs, gold.arcs)) - n_arcs
    if system.builds_graphs:  # a wrong label is one arc that is missing and one too many
        n_arcs += len(find_missing(gold.arcs, arcs, with_labels=False))
        n_labels *= 2
    return arc_price * n_arcs + label_price * n_labels
