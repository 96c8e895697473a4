from dodona.core.features.corpus import Corpus
from dodona.core.search.actions import Actions
from dodona.core.transitions.system import System

MODES: tuple[str, ...]

class OracleGuide:
    def __init__(
        self,
        corpus: Corpus,
        actions: Actions,
        *,
        mode: str = "explore",
        explore_rate: float = 0.9,
        seed: int = 1,
    ) -> None: ...
    @property
    def system(self) -> System: ...
    @property
    def actions(self) -> Actions: ...
    @property
    def corpus(self) -> Corpus: ...
