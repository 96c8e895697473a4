from typing import Any

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.lexicon import Lexicon
from dodona.core.weights.margin import MarginPerceptron

class PlaceTrainer(MarginPerceptron):
    def __init__(
        self,
        text: CodePoints,
        certain: bytes,
        labels: Any,
        *,
        margin: float,
        cutoff: int,
        lexicon: Lexicon | None = None,
    ) -> None: ...
    def count(self, start: int, end: int) -> None: ...
    def train(self, start: int, end: int) -> None: ...

def count_pairs(text: CodePoints, labels: Any, lexicon: Lexicon | None = None) -> list[int]: ...
def count_patterns(text: CodePoints, labels: Any) -> list[list[int]]: ...
