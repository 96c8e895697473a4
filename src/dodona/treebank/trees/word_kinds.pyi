from collections.abc import Collection

from dodona.core.features.corpus import Corpus
from dodona.treebank.block import Block
from dodona.treebank.sentence import Sentence

TAGS: tuple[str, ...]

def kind_of(tag: str, feats: str, misc: str = "_") -> int: ...
def kinds_of(sentence: Sentence) -> list[int]: ...
def set_kinds(corpus: Corpus, sentences: Collection[Sentence] | Block) -> None: ...
