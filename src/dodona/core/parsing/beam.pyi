from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.network.network import Network
from dodona.core.network.slots import Slots
from dodona.core.parsing.actions import Actions
from dodona.core.parsing.greedy import Greedy
from dodona.core.transitions.action import Action
from dodona.core.transitions.constraints import Constraints
from dodona.core.weights.packed import Scorer

class Beam(Greedy):
    def __init__(
        self,
        features: Features | Slots,
        actions: Actions,
        weights: Scorer | Network,
        *,
        width: int,
        one_root: bool = True,
        root_label: int = 0,
        constraints: Constraints | None = None,
    ) -> None: ...
    @property
    def width(self) -> int: ...
    def derivations(self, corpus: Corpus, sentence: int) -> list[tuple[float, list[int]]]: ...
    def steps(
        self, corpus: Corpus, sentence: int = 0
    ) -> list[list[tuple[float, int, Action | None]]]: ...
