from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.treebank.block import Block
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence

FORM_ATTRIBUTES: tuple[str, ...]
COLUMNS: tuple[str, ...]
CLUSTER_COLUMNS: tuple[str, ...]
NO_AMBIGUITY: int
FIRST_AMBIGUITY: int

class WordEncoder:
    def __init__(
        self, forms: Vocabulary, ambiguity: Any, clusters: Clusters | None = None
    ) -> None: ...
    @property
    def forms(self) -> Vocabulary: ...
    @property
    def clusters(self) -> Clusters | None: ...
    def encode(self, sentences: list[Sentence] | Block, n_tasks: int) -> Corpus: ...

def form_attributes(form: str) -> dict[str, int]: ...
