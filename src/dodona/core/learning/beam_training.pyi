from collections.abc import Iterable

from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.learning.greedy_training import GreedyTrainer
from dodona.core.search.actions import Actions
from dodona.core.weights.linear import Weights

UPDATES: tuple[str, ...]
ORACLES: tuple[str, ...]
RESTARTS: tuple[str, ...]

class BeamTrainer(GreedyTrainer):
    def __init__(
        self,
        corpus: Corpus,
        features: Features,
        actions: Actions,
        weights: Weights,
        *,
        width: int,
        update: str = "max-violation",
        oracle: str = "dynamic",
        restart: str = "bad",
        explore_rate: float = 0.9,
        seed: int = 1,
    ) -> None: ...
    def hypotheses(
        self, sentence: int, start: Iterable[int], n_steps: int
    ) -> list[tuple[float, list[int], bool]]: ...
