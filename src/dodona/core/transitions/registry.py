"""Every transition system by its name, trees first, then graphs.

Classes say their names themselves. Those of the package are compiled together with `System`, so
all of them are there; `PythonSystem` registers others as they are defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dodona.core.transitions.system import System

SYSTEMS: dict[str, type[System]] = {}
GRAPH_SYSTEMS: dict[str, type[System]] = {}


def register(kind: type[System]) -> None:
    """Make a system known by its name, in the place of one of that name from outside."""
    if kind.name in _SHIPPED:
        raise ValueError(f"{kind.name!r} is a transition system of Dodona: choose another name")
    (GRAPH_SYSTEMS if kind.builds_graphs else SYSTEMS)[kind.name] = kind


def find_system(name: str) -> type[System]:
    """The class of a transition system.

    >>> find_system("arc-eager").roots
    ('first', 'last', 'none')
    """
    kind = SYSTEMS.get(name) or GRAPH_SYSTEMS.get(name)
    if kind is None:
        raise ValueError(
            f"no transition system {name!r}; there are: {', '.join(systems())}. If it is one of "
            "your own, import the module that defines it first"
        )
    return kind


def systems() -> list[str]:
    """The names of all transition systems.

    >>> "arc-eager" in systems()
    True
    """
    return [*SYSTEMS, *GRAPH_SYSTEMS]


def describe_systems() -> list[str]:
    """Return a line about each transition system: its name, what it builds, its paper.

    >>> describe_systems()[0]
    'arc-eager: projective trees; Nivre (2003); costs by Goldberg & Nivre (2012)'
    """
    kinds = map(find_system, systems())
    return [f"{kind.name}: {'; '.join(filter(None, (kind.builds, kind.paper)))}" for kind in kinds]


def system(
    name: str,
    *,
    labels: Iterable[str],
    root: str | None = None,
    loss: str = "labelled",
    root_label: str = "root",
    static_oracle: str = "static",
    acyclic: bool = False,
    exact_words: int | None = None,
) -> System:
    """The transition system of that name, for the given labels.

    `root` says where the artificial root stands: "first", "last" or "none"; by default first, or
    nowhere in systems that have none. `loss` says what an error costs: "labelled" (1 unless head
    and label are right), "unlabelled" (1 unless the head is right) or "graded" (2 for a wrong head,
    1 for a wrong label only). `root_label` is the label of a word that is left over as the root,
    where the root is no word of its own. `static_oracle` is the one to derive with where a system
    has several, and for the costs that follow its lead. `acyclic` keeps systems of graphs from
    building cycles; their losses also count arcs that are not gold. `exact_words` is for systems
    whose costs are estimates: up to so many words left, exact ones are searched for.

    >>> arc_eager = system("arc-eager", labels=["nsubj", "root"])
    >>> arc_eager.start(2).buffer
    (1, 2)
    """
    kind: Any = find_system(name)
    settings = [labels, kind.roots[0] if root is None else root, loss, root_label]
    if kind.builds_graphs:
        settings.append(acyclic)
    elif acyclic:
        raise ValueError(f"{name} builds trees: acyclic=True is for {', '.join(GRAPH_SYSTEMS)}")
    made: System = kind(*settings)
    if exact_words is not None:
        made.search(exact_words)
    return made.follow(static_oracle)


def _with_names(kind: type[System]) -> Iterator[type[System]]:
    """The classes below a class that say a name of their own."""
    for below in kind.__subclasses__():
        if "name" in vars(below):
            yield below
        yield from _with_names(below)


_SHIPPED: frozenset[str] = frozenset()
for _kind in sorted(_with_names(System), key=lambda kind: (kind.order, kind.name)):
    register(_kind)
_SHIPPED = frozenset(systems())
