from collections.abc import Sequence

from dodona.core.features.corpus import Corpus
from dodona.treebank.block import Block
from dodona.treebank.sentence import Sentence

SYMBOL_KINDS: tuple[str, ...]

def symbol_kind(form: str) -> str | None: ...
def has_symbols(corpus: Corpus, sentences: list[Sentence] | Block) -> bool: ...
def tag_symbols(
    corpus: Corpus,
    sentences: list[Sentence] | Block,
    column: int,
    classes: Sequence[int],
    kept: bytes | None = None,
) -> None: ...
