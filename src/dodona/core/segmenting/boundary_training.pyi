from typing import Any

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.lexicon_index import LexiconIndex
from dodona.core.weights.margin import MarginPerceptron

class BoundaryTrainer(MarginPerceptron):
    def __init__(
        self,
        text: CodePoints,
        pair_table: bytes,
        labels: Any,
        *,
        margin: float,
        cutoff: int,
        lexicon: LexiconIndex | None = None,
    ) -> None: ...
    def count(self, start: int, end: int) -> None: ...
    def train(self, start: int, end: int) -> None: ...

def count_pairs(
    text: CodePoints, labels: Any, lexicon: LexiconIndex | None = None
) -> list[int]: ...
def count_patterns(text: CodePoints, labels: Any) -> list[list[int]]: ...
