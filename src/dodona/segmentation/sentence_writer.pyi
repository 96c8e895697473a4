from collections.abc import Iterable, Sequence

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.expansion import TokenExpander
from dodona.core.segmenting.text_splitter import TextSplitter
from dodona.treebank.sentence import Sentence

def code_points(text: str) -> CodePoints: ...

class Cursor:
    offset: int
    line: int
    n_sentences: int
    begins_paragraph: bool
    def __init__(self, name: str = "") -> None: ...

class SentenceWriter:
    def __init__(
        self,
        splitter: TextSplitter,
        expander: TokenExpander,
        rules: Iterable[tuple[str, str, Sequence[str]]],
    ) -> None: ...
    @property
    def splitter(self) -> TextSplitter: ...
    @property
    def expander(self) -> TokenExpander: ...
    def segment(
        self,
        text: str,
        cursor: Cursor,
        *,
        by_lines: bool = False,
        is_end: bool = True,
        forbidden: bytes | None = None,
    ) -> tuple[list[Sentence], int]: ...

def check_rule(side: str, affix: str, words: Sequence[str]) -> None: ...
