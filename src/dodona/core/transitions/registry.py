"""Every transition system by its name: the one list of them, trees first, then graphs."""

from __future__ import annotations

from collections.abc import Iterable

from dodona.core.transitions.arc_eager import ArcEager
from dodona.core.transitions.arc_hybrid import ArcHybrid
from dodona.core.transitions.arc_standard import ArcStandard
from dodona.core.transitions.graph import GraphSystem
from dodona.core.transitions.graph_eager import GraphEager
from dodona.core.transitions.graph_standard import GraphStandard
from dodona.core.transitions.nonmonotonic import ArcEagerTree, NonMonotonic, NonMonotonic2013
from dodona.core.transitions.swap import Swap
from dodona.core.transitions.system import System

SYSTEMS: dict[str, type[System]] = {
    "arc-eager": ArcEager,
    "arc-eager-tree": ArcEagerTree,
    "nonmonotonic-2013": NonMonotonic2013,
    "nonmonotonic": NonMonotonic,
    "arc-standard": ArcStandard,
    "arc-hybrid": ArcHybrid,
    "swap": Swap,
}
GRAPH_SYSTEMS: dict[str, type[GraphSystem]] = {
    "graph-standard": GraphStandard,
    "graph-eager": GraphEager,
}


def systems() -> list[str]:
    """The names of all transition systems.

    >>> "arc-eager" in systems()
    True
    """
    return [*SYSTEMS, *GRAPH_SYSTEMS]


def system(
    name: str,
    *,
    labels: Iterable[str],
    root: str | None = None,
    loss: str = "labelled",
    root_label: str = "root",
    static_oracle: str = "static",
    acyclic: bool = False,
) -> System:
    """The transition system of that name, for the given labels.

    `root` says where the artificial root stands: "first", "last" or "none"; by default first, or
    nowhere in systems that have none. `loss` says what an error costs: "labelled" (1 unless head
    and label are right), "unlabelled" (1 unless the head is right) or "graded" (2 for a wrong head,
    1 for a wrong label only). `root_label` is the label of a word that is left over as the root,
    where the root is no word of its own. `static_oracle` is the one to derive with where a system
    has several, and for the costs that follow its lead. `acyclic` keeps systems of graphs from
    building cycles; their losses also count arcs that are not gold.

    >>> arc_eager = system("arc-eager", labels=["nsubj", "root"])
    >>> arc_eager.start(2).buffer
    (1, 2)
    """
    if name in GRAPH_SYSTEMS:
        graphs = GRAPH_SYSTEMS[name](labels, root or "first", loss, root_label, acyclic)
        return graphs.follow(static_oracle)
    if name not in SYSTEMS:
        raise ValueError(f"no transition system {name!r}; there are: {', '.join(systems())}")
    if acyclic:
        raise ValueError(f"{name} builds trees: acyclic=True is for {', '.join(GRAPH_SYSTEMS)}")
    kind = SYSTEMS[name]
    made = kind(labels, kind.default_root if root is None else root, loss, root_label)
    return made.follow(static_oracle)
