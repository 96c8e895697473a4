"""The best tree reachable from a state, the gold arcs that it lacks, and its loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dodona.core.transitions.system import LOSSES

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.gold import Gold
    from dodona.core.transitions.system import State, System

LabelledArc: TypeAlias = tuple[int, str | None, int]  # head, label (None: not annotated), dependent


class Reachable(NamedTuple):
    """The best tree or graph reachable from a state."""

    arcs: frozenset[LabelledArc]  # of the tree or graph
    lost: frozenset[LabelledArc]  # gold arcs that it lacks
    loss: int  # as the system counts it
    actions: tuple[Action, ...]  # that lead to it


def reach(system: System, state: State, gold: Gold) -> Reachable:
    """Follow the dynamic oracle from a state to a final state.

    >>> import dodona
    >>> system = dodona.system("arc-eager", labels=["root", "obj"])
    >>> gold = dodona.Gold(heads=[0, 1], labels=["root", "obj"])
    >>> state = system.step(system.start(2), dodona.Action("SHIFT"))  # loses 0 → 1
    >>> found = reach(system, state, gold)
    >>> found.lost, found.loss, [str(action) for action in found.actions]
    (frozenset({(0, 'root', 1)}), 1, ['RIGHT-ARC:obj'])
    """
    actions = []
    labels = {word: label for _, label, word in gold.arcs}
    while not system.is_final(state):
        action = _choose(system, state, gold, labels)
        actions.append(action)
        state = system.step(state, action)
    arcs = arcs_of(system, state)
    lost = find_missing(arcs, gold.arcs, with_labels=counts_labels(system))
    return Reachable(arcs, lost, _loss(system, arcs, gold), tuple(actions))


def _choose(system: System, state: State, gold: Gold, labels: dict[int, str | None]) -> Action:
    """Return an optimal action; a word that is attached wrongly keeps its gold label."""
    first, *others = system.optimal(state, gold)
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
