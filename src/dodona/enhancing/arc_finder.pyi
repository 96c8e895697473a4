from collections.abc import Iterable

from dodona.core.features.corpus import Corpus
from dodona.core.weights.packed import PackedWeights
from dodona.enhancing.path_table import PathTable
from dodona.enhancing.path_walker import PathWalker
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence

def unknown_labels(labels: Vocabulary, sentences: Iterable[Sentence]) -> list[str]: ...

class ArcFinder(PathWalker):
    def __init__(self, table: PathTable, weights: PackedWeights) -> None: ...
    def find(self, sentences: Iterable[Sentence]) -> Corpus: ...
