"""Registry of reference implementations ("slow twins") of the core's transition systems."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from dodona.core.transitions.registry import find_system

Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True)
class Twin:
    """A reference implementation, and the properties of its system's costs in the core."""

    kind: Any
    exact: bool  # costs equal exhaustive search, for projective trees
    counts_arcs: bool  # arcs are counted one by one: with crossing ones, no action may be free
    one_root: bool  # gold trees must have one root


_TWINS: dict[str, Twin] = {}


def twin(
    name: str, *, exact: bool = True, counts_arcs: bool = True, one_root: bool = False
) -> Callable[[Kind], Kind]:
    """Register a class as the reference implementation of the core's system `name`."""

    def register(kind: Kind) -> Kind:
        _TWINS[name] = Twin(kind, exact, counts_arcs, one_root)
        return kind

    return register


def all_twins() -> dict[str, Twin]:
    """Return all reference implementations of this package, by the name of their system."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        import_module(f"reference.{path.stem}")
    return dict(_TWINS)


def exact_twins(*, one_root: bool | None = None) -> dict[tuple[str, str], Twin]:
    """Return those of tree systems with exact costs, by name and root; optionally by `one_root`."""
    return {
        (name, root): twin
        for name, twin in all_twins().items()
        for root in find_system(name).roots
        if twin.exact and not find_system(name).builds_graphs and one_root in (None, twin.one_root)
    }
