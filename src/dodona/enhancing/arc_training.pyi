from collections.abc import Iterable, Sequence

from dodona.core.weights.linear import Weights
from dodona.core.weights.margin import MarginPerceptron
from dodona.enhancing.path_table import PathTable
from dodona.treebank.sentence import Sentence

class ArcTrainer(MarginPerceptron):
    def __init__(
        self,
        table: PathTable,
        weights: Weights,
        sentences: Iterable[Sentence],
        gold: Sequence[Sequence[int]],
        *,
        margin: float,
        cutoff: int,
    ) -> None: ...
    def train(self, order: Iterable[int]) -> None: ...
