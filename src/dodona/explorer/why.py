"""Why an action costs what it costs: gold arcs that it loses, wrong ones that it brings, repairs.

The best tree in reach before the action is held against the best after it. Where gold arcs can be
had one by one but not all together (arc-standard, crossing arcs), another one may be kept for one
that is lost: the cost is the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dodona.explorer.reach import Arc, Reach, arcs_of, counts_labels, find_missing, reach

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.system import State
    from dodona.explorer.explore import Explorer

UNSHIFT = "UNSHIFT"  # the one move that takes another back; arcs are taken back by other arcs


@dataclass(frozen=True)
class Why:
    """What an action does to the best tree in reach."""

    cost: int
    is_optimal: bool
    loses: frozenset[Arc]  # gold arcs that were in reach
    instead: frozenset[Arc]  # gold arcs that could not be had together with them, and now can
    mislabelled: frozenset[Arc]  # those of the lost that are built, by another label
    wrong: frozenset[Arc]  # of graphs: arcs that are not gold, which count as well
    repairs: tuple[Action, ...]  # that the best way on from there has to make
    is_estimate: bool  # the system's costs are not exact here: the loss rises by another number
    reach: Reach  # after the action


def explain(explorer: Explorer, state: State, action: Action) -> Why:
    """What an action costs in a state, and why.

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
        raise ValueError("there is no gold tree, so nothing has a cost")
    after = explorer.step(state, action)
    before, found = reach(system, state, gold), reach(system, after, gold)
    cost = system.cost(state, gold, action)
    loses, instead, wrong = frozenset[Arc](), frozenset[Arc](), frozenset[Arc]()
    if cost or found.loss > before.loss:
        loses, instead = found.lost - before.lost, before.lost - found.lost
        if system.builds_graphs:
            wrong = _wrong(explorer, found.arcs) - _wrong(explorer, before.arcs)
    joined = {(head, dependent) for head, _, dependent in found.arcs}
    return Why(
        cost,
        action in system.optimal(state, gold),
        loses,
        instead,
        frozenset(arc for arc in loses if (arc[0], arc[2]) in joined),
        wrong,
        tuple(_repairs(explorer, after, found.actions)),
        found.loss - before.loss != cost,
        found,
    )


def _wrong(explorer: Explorer, arcs: Iterable[Arc]) -> frozenset[Arc]:
    """Those of the arcs that are not gold."""
    gold = () if explorer.gold is None else explorer.gold.arcs
    return find_missing(gold, arcs, with_labels=counts_labels(explorer.system))


def _repairs(explorer: Explorer, state: State, actions: Iterable[Action]) -> Iterator[Action]:
    """Those of the actions that take back what was done before."""
    for action in actions:
        after = explorer.system.step(state, action)
        if action.move == UNSHIFT or arcs_of(explorer.system, state) - after.arcs:
            yield action
        state = after
