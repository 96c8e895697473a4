from collections.abc import Iterable

from dodona.core.transitions.arc_eager import ArcEager

class ArcEagerTree(ArcEager):
    def __init__(
        self,
        labels: Iterable[str],
        root: str = "none",
        loss: str = "labelled",
        root_label: str = "root",
    ) -> None: ...

class NonMonotonic(ArcEagerTree): ...
class NonMonotonic2013(NonMonotonic): ...
