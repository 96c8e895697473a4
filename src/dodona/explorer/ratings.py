"""Costs of actions as the explorer shows them: exact or estimated, optimal or wasteful."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dodona.core.transitions.system import LOSSES
from dodona.explorer.reachable import SWAPPING, best_swaps, costs_are_estimates

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.gold import Gold
    from dodona.core.transitions.system import State, System


class Rating(NamedTuple):
    """The cost of an action by the gold tree."""

    cost: int
    optimal: bool
    n_wasted: int | None = None  # actions more than needed, at cost 0; None if that is not known
    is_estimate: bool = False  # of the cost


def rate(system: System, state: State, gold: Gold) -> dict[Action, Rating]:
    """Rate every valid action of a state that is not final.

    In swap, costs are proven by search where possible, and of several free actions only those of
    the shortest derivation are optimal.

    >>> import dodona
    >>> system = dodona.system("swap", labels=["dep"])
    >>> gold = dodona.Gold(heads=[2, 0, 2], labels=["dep"] * 3)
    >>> state = system.step(system.step(system.start(3), "SHIFT"), "SHIFT")
    >>> rated = rate(system, state, gold)
    >>> {action.move: rating.n_wasted for action, rating in rated.items() if not rating.cost}
    {'SHIFT': 0, 'LEFT-ARC': 0, 'SWAP': 2}
    """
    optimal = set(system.optimal(state, gold))
    is_estimate = costs_are_estimates(system, state, gold)
    rated = {
        action: Rating(cost, action in optimal, None, is_estimate)
        for action, cost in system.costs(state, gold).items()
    }
    if not isinstance(system, SWAPPING):
        return rated
    moves = {action.move: action for action in rated}
    proven = {move: _rate_move(system, state, gold, action) for move, action in moves.items()}
    return {
        action: _with_label(system, state, gold, action, old, proven[action.move])
        for action, old in rated.items()
    }


def rate_one(system: System, state: State, gold: Gold, action: Action) -> Rating:
    """Rate one valid action without computing the others, which may be thousands."""
    is_optimal = action in system.optimal(state, gold)
    is_estimate = costs_are_estimates(system, state, gold)
    rated = Rating(system.cost(state, gold, action), is_optimal, None, is_estimate)
    if not isinstance(system, SWAPPING):
        return rated
    proven = _rate_move(system, state, gold, action)
    return _with_label(system, state, gold, action, rated, proven)


def _with_label(
    system: System, state: State, gold: Gold, action: Action, old: Rating, move: Rating | None
) -> Rating:
    """Return the rating of an action by its move and label; `old` if the move's is not proven."""
    if move is None:
        return old
    cost = move.cost + _label_cost(system, state, gold, action)
    wasted = None if cost else move.n_wasted
    return Rating(cost, not cost and (old.optimal if wasted is None else not wasted), wasted)


def _rate_move(system: System, state: State, gold: Gold, action: Action) -> Rating | None:
    """Rate the move of an action of swap without its label; None if its cost is not proven."""
    after = system.step(state, action)
    before, end = best_swaps(system, state, gold), best_swaps(system, after, gold)
    if before is None or end is None:
        return None
    built = {(head, word) for head, _, word in after.arcs - state.arcs}
    n_right = len(built & {(head, word) for head, _, word in gold.arcs})
    left, left_after = _n_hoped(state, gold), _n_hoped(after, gold)
    n_lost = (left - before.n_lost) - n_right - (left_after - end.n_lost)
    arc_price, _ = LOSSES[system.loss]
    is_known = before.is_shortest and end.is_shortest
    wasted = 1 + len(end.moves) - len(before.moves) if is_known else None
    return Rating(arc_price * n_lost, not n_lost, wasted)


def _n_hoped(state: State, gold: Gold) -> int:
    """Count the gold arcs between words that are on the stack or in the buffer."""
    left = {*state.stack, *state.buffer}
    return sum(head in left and word in left for head, _, word in gold.arcs)


def _label_cost(system: System, state: State, gold: Gold, action: Action) -> int:
    """Return the price of a wrong label on a correct arc."""
    if action.label is None:
        return 0
    _, label_price = LOSSES[system.loss]
    labels = {(head, word): label for head, label, word in gold.arcs}
    lower, upper = state.stack[-2:]
    own = labels.get((upper, lower) if action.move == "LEFT-ARC" else (lower, upper), action.label)
    return 0 if own in (None, action.label) else label_price
