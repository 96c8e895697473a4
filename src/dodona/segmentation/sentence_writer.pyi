from collections.abc import Iterable, Iterator, Sequence

from dodona.core.segmenting.characters import CodePoints
from dodona.core.segmenting.expansion import TokenExpander
from dodona.core.segmenting.text_splitter import TextSplitter
from dodona.treebank.block import Block
from dodona.treebank.sentence import Sentence

def code_points(text: str) -> CodePoints: ...

class Cursor:
    offset: int
    line: int
    n_sentences: int
    begins_paragraph: bool
    in_list: bool
    def __init__(self, name: str = "", language: str = "") -> None: ...
    def after(self, scanned: ScannedText) -> Cursor: ...

class ScannedText:
    @property
    def taken(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...
    @property
    def begins_paragraph(self) -> bool: ...
    @property
    def in_list(self) -> bool: ...

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
    ) -> tuple[list[Sentence], Cursor]: ...
    def scan(
        self,
        text: str,
        *,
        by_lines: bool = False,
        is_end: bool = True,
        in_list: bool = False,
        forbidden: bytes | None = None,
    ) -> ScannedText: ...
    def write(
        self, parts: Iterable[tuple[ScannedText, Cursor]], most_words: int = ...
    ) -> Iterator[Block]: ...

def check_rule(side: str, affix: str, words: Sequence[str]) -> None: ...
