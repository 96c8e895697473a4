"""Which slow twin goes with which transition system of the core: each class says so itself."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from dodona.core.transitions.registry import find_system

Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True)
class Twin:
    """A system in plain Python, and what its costs in the core promise."""

    kind: Any
    exact: bool  # they equal exhaustive search, for projective trees
    counts_arcs: bool  # each counts gold arcs one by one, so that crossing ones may leave none free
    one_root: bool  # gold trees must have one root


_TWINS: dict[str, Twin] = {}


def twin(
    name: str, *, exact: bool = True, counts_arcs: bool = True, one_root: bool = False
) -> Callable[[Kind], Kind]:
    """Make a class the twin of the core's system of that name."""

    def register(kind: Kind) -> Kind:
        _TWINS[name] = Twin(kind, exact, counts_arcs, one_root)
        return kind

    return register


def all_twins() -> dict[str, Twin]:
    """Every twin, from whichever module of this folder, by the name of its system."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        import_module(f"reference.{path.stem}")
    return dict(_TWINS)


def exact_twins(*, one_root: bool | None = None) -> dict[tuple[str, str], Twin]:
    """Those of trees with exact costs, by name and root; all, or as their gold trees must be."""
    return {
        (name, root): twin
        for name, twin in all_twins().items()
        for root in find_system(name).roots
        if twin.exact and not find_system(name).builds_graphs and one_root in (None, twin.one_root)
    }
