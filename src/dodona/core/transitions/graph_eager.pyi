from collections.abc import Iterable

from dodona.core.transitions.graph import GraphSystem

class GraphEager(GraphSystem):
    def __init__(
        self,
        labels: Iterable[str],
        root: str = "first",
        loss: str = "labelled",
        root_label: str = "root",
        acyclic: bool = False,
    ) -> None: ...
