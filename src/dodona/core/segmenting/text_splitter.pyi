from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.lexicon_index import LexiconIndex
from dodona.core.weights.packed import PackedWeights

MAX_BIAS: int

class TextSplitter:
    def __init__(
        self,
        pair_table: bytes,
        weights: PackedWeights,
        bias: int = 0,
        lexicon: LexiconIndex | None = None,
    ) -> None: ...
    @property
    def pair_table(self) -> bytes: ...
    @property
    def weights(self) -> PackedWeights: ...
    @property
    def bias(self) -> int: ...
    @property
    def lexicon(self) -> LexiconIndex | None: ...
    def tokens(
        self, text: CodePoints, *, by_lines: bool = False
    ) -> list[tuple[int, int, bool]]: ...
