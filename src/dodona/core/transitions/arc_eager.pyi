from collections.abc import Iterable

from dodona.core.transitions.system import System

class ArcEager(System):
    def __init__(
        self,
        labels: Iterable[str],
        root: str = "first",
        loss: str = "labelled",
        root_label: str = "root",
    ) -> None: ...
