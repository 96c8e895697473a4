from collections.abc import Sequence

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.lexicon import Lexicon

LOOKAHEAD: int
LABELS: dict[str, int]

class Walk:
    def __init__(
        self,
        text: CodePoints,
        certain: bytes,
        by_lines: bool = False,
        lexicon: Lexicon | None = None,
    ) -> None: ...

def certain_pairs(counts: Sequence[int], least: float) -> bytes: ...
def check_pairs(certain: bytes) -> None: ...
