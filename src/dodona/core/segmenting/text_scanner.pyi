from collections.abc import Sequence

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.lexicon_index import LexiconIndex

LOOKAHEAD: int
LABELS: dict[str, int]

class TextScanner:
    def __init__(
        self,
        text: CodePoints,
        pair_table: bytes,
        by_lines: bool = False,
        lexicon: LexiconIndex | None = None,
    ) -> None: ...

def make_pair_table(counts: Sequence[int], least: float) -> bytes: ...
def check_pair_table(table: bytes) -> None: ...
