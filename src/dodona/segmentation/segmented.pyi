from collections.abc import Iterable, Sequence

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.expansion import Expansion
from dodona.core.segmenting.segmenting import Segmenting
from dodona.treebank.sentence import Sentence

def code_points(text: str) -> CodePoints: ...

class Cursor:
    offset: int
    line: int
    n_sentences: int
    begins_paragraph: bool
    def __init__(self, name: str = "") -> None: ...

class SentenceMaker:
    def __init__(
        self,
        segmenting: Segmenting,
        expansion: Expansion,
        rules: Iterable[tuple[str, str, Sequence[str]]],
    ) -> None: ...
    @property
    def segmenting(self) -> Segmenting: ...
    @property
    def expansion(self) -> Expansion: ...
    def make(
        self, text: str, cursor: Cursor, *, by_lines: bool = False, is_end: bool = True
    ) -> tuple[list[Sentence], int]: ...

def check_rule(side: str, affix: str, words: Sequence[str]) -> None: ...
