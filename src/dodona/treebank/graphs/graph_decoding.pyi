from collections.abc import Iterable, Sequence

from dodona.core.features.corpus import Corpus
from dodona.treebank.sentence import Sentence

class GraphDecoder:
    def __init__(self, labels: Sequence[str]) -> None: ...
    def decode(self, corpus: Corpus, sentences: Iterable[Sentence]) -> list[Sentence]: ...
