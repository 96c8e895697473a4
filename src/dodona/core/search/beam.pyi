from dodona.core.search.actions import Actions
from dodona.core.search.scoring import StateScorer
from dodona.core.search.search import Search
from dodona.core.transitions.constraints import Constraints

class Beam(Search):
    def __init__(
        self,
        scorer: StateScorer,
        actions: Actions,
        *,
        width: int,
        one_root: bool = True,
        root_label: int = 0,
        constraints: Constraints | None = None,
        keeps_given: bool = False,
    ) -> None: ...
    @property
    def width(self) -> int: ...
