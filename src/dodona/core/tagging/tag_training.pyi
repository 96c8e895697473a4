from collections.abc import Iterable
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.tagging.tag_task import TagTask
from dodona.core.weights.linear import Weights

class TagTrainer:
    def __init__(
        self,
        corpus: Corpus,
        task: TagTask,
        weights: Weights,
        gold: Any,
        *,
        width: int = 1,
        margin: float = 0,
        cutoff: int = 1,
    ) -> None: ...
    @property
    def corpus(self) -> Corpus: ...
    @property
    def task(self) -> TagTask: ...
    @property
    def weights(self) -> Weights: ...
    @property
    def time(self) -> float: ...
    @property
    def n_updates(self) -> int: ...
    def train(self, order: Iterable[int]) -> None: ...
    def __getstate__(self) -> tuple[float, int]: ...
    def __setstate__(self, state: tuple[float, int]) -> None: ...

def shuffled(n: int, seed: int) -> list[int]: ...
