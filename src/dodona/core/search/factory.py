"""The search that a model and its settings ask for."""

from __future__ import annotations

from dodona.core.search.actions import Actions
from dodona.core.search.beam import Beam
from dodona.core.search.greedy import Greedy
from dodona.core.search.lockstep import LockStep
from dodona.core.search.scoring import StateScorer
from dodona.core.search.search import Search
from dodona.core.transitions.constraints import Constraints


def make_search(
    scorer: StateScorer,
    actions: Actions,
    *,
    width: int = 1,
    one_root: bool = True,
    root_label: int = 0,
    constraints: Constraints | None = None,
) -> Search:
    """Return greedy search, or beam search for a `width` above 1.

    `one_root`: only one word hangs under the root. `root_label` is the id of its label.
    """
    if width != 1:
        return Beam(
            scorer,
            actions,
            width=width,
            one_root=one_root,
            root_label=root_label,
            constraints=constraints,
        )
    in_lockstep = scorer.is_batched and not actions.system.builds_graphs
    kind = LockStep if in_lockstep else Greedy
    return kind(scorer, actions, one_root=one_root, root_label=root_label, constraints=constraints)
