from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.lexicon import Lexicon
from dodona.core.weights.packed import PackedWeights

MAX_BIAS: int

class Segmenting:
    def __init__(
        self,
        certain: bytes,
        weights: PackedWeights,
        bias: int = 0,
        lexicon: Lexicon | None = None,
    ) -> None: ...
    @property
    def certain(self) -> bytes: ...
    @property
    def weights(self) -> PackedWeights: ...
    @property
    def bias(self) -> int: ...
    @property
    def lexicon(self) -> Lexicon | None: ...
    def tokens(
        self, text: CodePoints, *, by_lines: bool = False
    ) -> list[tuple[int, int, bool]]: ...
