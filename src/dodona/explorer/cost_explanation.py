"""Explanation of an action's cost: gold arcs that it loses, wrong arcs, and repairs.

The best tree reachable before the action is compared with the best one after it. Where gold arcs
are reachable one by one but not all together (arc-standard, crossing arcs), another gold arc may be
gained for a lost one; the cost is the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dodona.explorer.fewest_swaps import SWAP
from dodona.explorer.ratings import rate_one
from dodona.explorer.reachable import (
    LabelledArc,
    Reachable,
    arcs_of,
    counts_labels,
    find_missing,
    reach,
)

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.system import State
    from dodona.explorer.explore import Explorer

UNSHIFT = "UNSHIFT"  # the one move that undoes another; arcs are undone by other arcs


class Repair(NamedTuple):
    """An action that would not be needed without the explained one, and the words it concerns."""

    action: Action
    words: tuple[int, ...]


@dataclass(frozen=True)
class CostExplanation:
    """The effect of an action on the best reachable tree."""

    cost: int
    is_optimal: bool
    loses: frozenset[LabelledArc]  # gold arcs that were reachable before
    instead: frozenset[LabelledArc]  # gold arcs that are reachable only now that these are lost
    mislabelled: frozenset[LabelledArc]  # lost arcs that are built with another label
    wrong: frozenset[LabelledArc]  # in graphs: arcs that are not gold, which also count
    repairs: tuple[Repair, ...]  # actions on the best path that undo earlier ones, or swap words
    n_wasted: int | None  # actions more than needed to the same loss; None if that is not known
    is_estimate: bool  # of the cost
    reach: Reachable  # after the action


def explain(explorer: Explorer, state: State, action: Action) -> CostExplanation:
    """Explain the cost of an action in a state.

    >>> from dodona.core.transitions.action import Action
    >>> from dodona.explorer.explore import Explorer, read_path
    >>> from dodona.explorer.typed import read_typed
    >>> [sentence] = read_typed("He 2 SBJ\\nwrote 0 PRD\\nher 2 IOBJ")
    >>> explorer = Explorer(sentence, "arc-eager", root="first")
    >>> state, _ = explorer.follow(read_path("SHIFT LEFT-ARC:SBJ RIGHT-ARC:PRD"))
    >>> why = explain(explorer, state, Action("SHIFT"))
    >>> why.cost, why.loses
    (1, frozenset({(2, 'IOBJ', 3)}))
    """
    system, gold = explorer.system, explorer.gold
    if gold is None:
        raise ValueError("costs need a gold tree")
    after = explorer.step(state, action)
    before, found = reach(system, state, gold), reach(system, after, gold)
    cost, is_optimal, _, is_estimate = rate_one(system, state, gold, action)
    loses = instead = wrong = frozenset[LabelledArc]()
    if cost or found.loss > before.loss:
        loses, instead = found.lost - before.lost, before.lost - found.lost
        if system.builds_graphs:
            wrong = _wrong(explorer, found.arcs) - _wrong(explorer, before.arcs)
    joined = {(head, dependent) for head, _, dependent in found.arcs}
    is_known = not cost and before.is_shortest and found.is_shortest
    return CostExplanation(
        cost,
        is_optimal,
        loses,
        instead,
        frozenset(arc for arc in loses if (arc[0], arc[2]) in joined),
        wrong,
        tuple(_repairs(explorer, after, found.actions)),
        1 + len(found.actions) - len(before.actions) if is_known else None,
        is_estimate,
        found,
    )


def _wrong(explorer: Explorer, arcs: Iterable[LabelledArc]) -> frozenset[LabelledArc]:
    gold = () if explorer.gold is None else explorer.gold.arcs
    return find_missing(gold, arcs, with_labels=counts_labels(explorer.system))


def _repairs(explorer: Explorer, state: State, actions: Iterable[Action]) -> Iterator[Repair]:
    """Yield the actions that undo earlier ones or change the order of words."""
    for action in actions:
        after = explorer.system.step(state, action)
        replaced = arcs_of(explorer.system, state) - after.arcs
        if action.move == SWAP:
            yield Repair(action, state.stack[-2:])
        elif action.move == UNSHIFT:
            yield Repair(action, state.stack[-1:])
        elif replaced:
            yield Repair(action, tuple(word for _, _, word in replaced))
        state = after
