from collections.abc import Iterable, Sequence

from dodona.core.features.corpus import Corpus
from dodona.treebank.sentence import Sentence

SYMBOL_KINDS: tuple[str, ...]

def symbol_kind(form: str) -> str | None: ...
def has_symbols(corpus: Corpus, sentences: Iterable[Sentence]) -> bool: ...
def tag_symbols(
    corpus: Corpus,
    sentences: Iterable[Sentence],
    column: int,
    classes: Sequence[int],
    kept: bytes | None = None,
) -> None: ...
