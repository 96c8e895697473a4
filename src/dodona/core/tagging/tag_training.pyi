from collections.abc import Iterable
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.tagging.tag_task import TagTask
from dodona.core.weights.linear import Weights
from dodona.core.weights.margin import MarginPerceptron

class TagTrainer(MarginPerceptron):
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
    def train(self, order: Iterable[int]) -> None: ...
    def __getstate__(self) -> tuple[float, int]: ...
    def __setstate__(self, state: tuple[float, int]) -> None: ...
