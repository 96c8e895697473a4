from collections.abc import Iterable

from dodona.core.transitions.system import State, System

JOINS: dict[str, int]
JOIN_TEMPLATES: dict[str, str]

class Draft(State):
    def push(self, node: int) -> None: ...
    def pop(self) -> int: ...
    def next_word(self) -> int: ...
    def put_back(self, node: int) -> None: ...
    def add_arc(self, head: int, label: str | None, dependent: int) -> None: ...

class PythonBridge(System):
    def __init__(
        self,
        labels: Iterable[str],
        root: str | None = None,
        loss: str = "labelled",
        root_label: str = "root",
    ) -> None: ...
