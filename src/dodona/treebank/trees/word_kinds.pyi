from collections.abc import Iterable

from dodona.core.features.corpus import Corpus
from dodona.treebank.sentence import Sentence

TAGS: tuple[str, ...]

def kind_of(tag: str, feats: str, misc: str = "_") -> int: ...
def kinds_of(sentence: Sentence) -> list[int]: ...
def set_kinds(corpus: Corpus, sentences: Iterable[Sentence]) -> None: ...
