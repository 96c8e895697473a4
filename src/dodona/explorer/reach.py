"""What can still be reached from a state: the best tree, the gold arcs it lacks, its loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dodona.core.transitions.system import LOSSES

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.gold import Gold
    from dodona.core.transitions.system import State, System

Arc: TypeAlias = tuple[int, str | None, int]  # head, label (None: not annotated), dependent


class Reach(NamedTuple):
    """The best that can still come of a state."""

    arcs: frozenset[Arc]  # of the best tree or graph in reach
    lost: frozenset[Arc]  # gold arcs that are not among them
    loss: int  # its loss, as the system counts it
    actions: tuple[Action, ...]  # that lead to it


def reach(system: System, state: State, gold: Gold) -> Reach:
    """Follow the dynamic oracle from a state to the end.

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
    return Reach(arcs, lost, _loss(system, arcs, gold), tuple(actions))


def _choose(system: System, state: State, gold: Gold, labels: dict[int, str | None]) -> Action:
    """An optimal action; where it must attach a word wrongly, then by the word's own label."""
    first, *others = system.optimal(state, gold)
    if first.label is not None and others:
        for _, _, word in system.step(state, first).arcs - state.arcs:
            own = first._replace(label=labels.get(word))
            if own in others:
                return own
    return first


def arcs_of(system: System, state: State) -> frozenset[Arc]:
    """The arcs of a state as loss counts them: without a root, a word left over hangs under it.

    That holds once the state is final; before, what is left over is not known.
    """
    if system.root != "none" or not system.is_final(state):
        return state.arcs
    attached = {dependent for _, _, dependent in state.arcs}
    left_over = set(range(1, len(state) + 1)) - attached
    return state.arcs | {(0, system.root_label, word) for word in left_over}


def find_missing(
    arcs: Iterable[Arc], gold: Iterable[Arc], *, with_labels: bool = True
) -> frozenset[Arc]:
    """Gold arcs that are not among the others; a gold label of None stands for any.

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
    lost: frozenset[Arc], at_start: frozenset[Arc]
) -> tuple[frozenset[Arc], frozenset[Arc]]:
    """Of the arcs that are out of reach, those that never were in it, and those that were lost.

    Of two gold arcs that cross, a projective system can build either. The one that was to be given
    up from the start may be built, and the other given up in its place: that is no loss.

    >>> first, second, third = (3, "acl", 6), (4, "obj", 7), (1, "det", 2)  # two of them cross
    >>> split_lost(frozenset({second, third}), at_start=frozenset({first}))
    (frozenset({(4, 'obj', 7)}), frozenset({(1, 'det', 2)}))
    """
    never = lost & at_start
    given_up = at_start - lost
    crossing = [arc for arc in lost - never if crossed(arc, given_up)]
    never |= frozenset(sorted(crossing, key=lambda arc: (arc[2], arc[0]))[: len(given_up)])
    return never, lost - never


def crossed(arc: Arc, arcs: Iterable[Arc]) -> frozenset[Arc]:
    """Those of the arcs that cross this one.

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
    """Whether a wrong label is a loss."""
    _, label_price = LOSSES[system.loss]
    return label_price > 0


def _loss(system: System, arcs: frozenset[Arc], gold: Gold) -> int:
    """Gold arcs that are missing; of graphs, arcs that are not gold count as well."""
    arc_price, label_price = LOSSES[system.loss]
    n_arcs = len(find_missing(arcs, gold.arcs, with_labels=False))
    n_labels = len(find_missing(arcs, gold.arcs)) - n_arcs
    if system.builds_graphs:  # a wrong label is one arc that is missing and one too many
        n_arcs += len(find_missing(gold.arcs, arcs, with_labels=False))
        n_labels *= 2
    return arc_price * n_arcs + label_price * n_labels
