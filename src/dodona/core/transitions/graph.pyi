from collections.abc import Iterable

from dodona.core.transitions.system import State, System

class GraphState(State):
    @property
    def heads(self) -> tuple[tuple[int, ...], ...]: ...  # type: ignore[override]
    @property
    def labels(self) -> tuple[tuple[str, ...], ...]: ...  # type: ignore[override]

class GraphSystem(System):
    def __init__(
        self, labels: Iterable[str], root: str, loss: str, root_label: str, acyclic: bool
    ) -> None: ...
    @property
    def acyclic(self) -> bool: ...
