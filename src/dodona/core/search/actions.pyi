from collections.abc import Iterable
from typing import TypeAlias

from dodona.core.transitions.system import System

Pair: TypeAlias = tuple[int, int, bool, bool]  # move, label, under the root, elsewhere

def missing_arcs(system: System, pairs: Iterable[Pair]) -> list[tuple[tuple[int, ...], bool]]: ...

class Actions:
    def __init__(self, system: System, pairs: Iterable[Pair]) -> None: ...
    @property
    def system(self) -> System: ...
    @property
    def pairs(self) -> list[Pair]: ...
    @property
    def n_classes(self) -> int: ...
