from collections.abc import Iterable, Sequence

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.expansion import RuleIndex
from dodona.core.segmenting.lexicon_index import LexiconIndex
from dodona.core.weights.margin import MarginPerceptron

class ExpansionTrainer(MarginPerceptron):
    def __init__(
        self,
        text: CodePoints,
        tokens: Iterable[tuple[int, int, bool]],
        index: RuleIndex,
        gold: Sequence[int],
        *,
        margin: float,
        cutoff: int = 1,
        lexicon: LexiconIndex | None = None,
    ) -> None: ...
    @property
    def index(self) -> RuleIndex: ...
    def matching(self) -> list[int]: ...
    def train(self, order: Iterable[int]) -> None: ...
