from collections.abc import Iterable

from dodona.core.features.corpus import Corpus
from dodona.core.network.network import Network
from dodona.tagging.word_types import WordTypes
from dodona.treebank.sentence import Sentence

class WordReader:
    def __init__(self, network: Network, types: WordTypes, n_tags: int) -> None: ...
    @property
    def network(self) -> Network: ...
    def read(self, sentences: Iterable[Sentence]) -> Corpus: ...
