"""Registry of transition systems by name, tree systems first, then graph systems.

Compiled systems are found as subclasses of `System` with a name; `PythonSystem` registers its
subclasses as they are defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dodona.core.base.values import to_int, to_str
from dodona.core.transitions.system import System

SYSTEMS: dict[str, type[System]] = {}
GRAPH_SYSTEMS: dict[str, type[System]] = {}


def register(kind: type[System]) -> None:
    """Register a system under its name; it replaces a Python system of the same name."""
    if kind.name in _SHIPPED:
        raise ValueError(f"{kind.name!r} is a transition system of Dodona: choose another name")
    (GRAPH_SYSTEMS if kind.builds_graphs else SYSTEMS)[kind.name] = kind


def find_system(name: str) -> type[System]:
    """Return the class of a transition system.

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
    """Return the names of all transition systems.

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
    """Make a transition system with the given labels.

    `root` is the position of the artificial root: "first", "last" or "none"; the default is the
    first that the system allows. `loss` is the cost of an error: "labelled" (1 unless head and
    label are correct), "unlabelled" (1 unless the head is correct) or "graded" (2 for a wrong head,
    1 for a wrong label only). `root_label` is the label of the root word in systems without an
    artificial root. `static_oracle` chooses among several static oracles, for derivations and for
    costs that depend on it. `acyclic` forbids cycles in graph systems, whose losses also count
    arcs that are not gold. `exact_words` is for systems whose costs are estimates: while at most so
    many words are left, exact costs are found by search.

    >>> arc_eager = system("arc-eager", labels=["nsubj", "root"])
    >>> arc_eager.start(2).buffer
    (1, 2)
    """
    kind: Any = find_system(name)
    place = kind.roots[0] if root is None else to_str(root, "root")
    names = [to_str(label, "a label") for label in labels]
    settings = [names, place, to_str(loss, "loss"), to_str(root_label, "root_label")]
    if kind.builds_graphs:
        settings.append(acyclic)
    elif acyclic:
        raise ValueError(f"{name} builds trees: acyclic=True is for {', '.join(GRAPH_SYSTEMS)}")
    made: System = kind(*settings)
    if exact_words is not None:
        made.search(to_int(exact_words, "exact_words"))
    return made.follow(to_str(static_oracle, "static_oracle"))


def _with_names(kind: type[System]) -> Iterator[type[System]]:
    """Yield the subclasses, at any depth, that define a name of their own."""
    for below in kind.__subclasses__():
        if "name" in vars(below):
            yield below
        yield from _with_names(below)


_SHIPPED: frozenset[str] = frozenset()
for _kind in sorted(_with_names(System), key=lambda kind: (kind.order, kind.name)):
    register(_kind)
_SHIPPED = frozenset(systems())
