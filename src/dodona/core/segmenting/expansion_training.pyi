from collections.abc import Iterable, Sequence

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.expansion import RuleIndex
from dodona.core.weights.linear import Weights

class ExpansionTrainer:
    def __init__(
        self,
        text: CodePoints,
        tokens: Iterable[tuple[int, int, bool]],
        index: RuleIndex,
        gold: Sequence[int],
        *,
        margin: float,
        cutoff: int = 1,
    ) -> None: ...
    @property
    def index(self) -> RuleIndex: ...
    @property
    def weights(self) -> Weights: ...
    @property
    def time(self) -> float: ...
    @property
    def n_updates(self) -> int: ...
    def met(self) -> list[int]: ...
    def train(self, order: Iterable[int]) -> None: ...
    def go_on(self, weights: Weights, time: float, n_updates: int) -> None: ...
