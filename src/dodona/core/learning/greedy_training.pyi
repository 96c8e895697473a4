from collections.abc import Iterable

from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.learning.oracle_guide import OracleGuide
from dodona.core.search.actions import Actions
from dodona.core.weights.linear import Weights

LEARNERS: tuple[str, ...]

class GreedyTrainer(OracleGuide):
    def __init__(
        self,
        corpus: Corpus,
        features: Features,
        actions: Actions,
        weights: Weights,
        *,
        mode: str = "explore",
        learner: str = "perceptron",
        explore_rate: float = 0.9,
        aggressiveness: float = 0.1,
        seed: int = 1,
    ) -> None: ...
    @property
    def features(self) -> Features: ...
    @property
    def weights(self) -> Weights: ...
    @property
    def time(self) -> float: ...
    @property
    def n_updates(self) -> int: ...
    @property
    def n_steps(self) -> int: ...
    def train(self, order: Iterable[int], exploring: bool) -> None: ...
    def shuffled(self, n: int) -> list[int]: ...
    def __getstate__(self) -> tuple[int, float]: ...
    def __setstate__(self, state: tuple[int, float]) -> None: ...
