from collections.abc import Iterable
from typing import Any

from dodona.core.corpus import Corpus
from dodona.treebank.clusters import Clusters
from dodona.treebank.sentence import Sentence
from dodona.treebank.vocabulary import Vocabulary

SPELLINGS: tuple[str, ...]
COLUMNS: tuple[str, ...]
CLUSTER_COLUMNS: tuple[str, ...]

class Speller:
    def __init__(
        self, forms: Vocabulary, ambiguity: Any, clusters: Clusters | None = None
    ) -> None: ...
    @property
    def forms(self) -> Vocabulary: ...
    @property
    def clusters(self) -> Clusters | None: ...
    def encode(self, sentences: Iterable[Sentence], n_tasks: int) -> Corpus: ...

def spellings(form: str) -> dict[str, int]: ...
