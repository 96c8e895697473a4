from collections.abc import Iterable, Sequence
from typing import overload

from dodona.core.features.corpus import Corpus
from dodona.treebank.block import Block
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence

COLUMNS: dict[str, int]

class Encoder:
    def __init__(
        self,
        columns: Sequence[str],
        vocabularies: Iterable[Vocabulary] | None = None,
        labels: Iterable[bytes] = (),
        clusters: Clusters | None = None,
    ) -> None: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def vocabularies(self) -> list[Vocabulary]: ...
    @property
    def labels(self) -> list[bytes]: ...
    @property
    def clusters(self) -> Clusters | None: ...
    def learn(self, sentences: Iterable[Sentence]) -> None: ...
    def add_label(self, label: bytes) -> int: ...
    def encode(
        self, sentences: Iterable[Sentence], *, trees: bool = False, into: Corpus | None = None
    ) -> Corpus: ...
    def encode_again(self, corpus: Corpus, number: int, sentence: Sentence) -> None: ...
    @overload
    def decode(self, corpus: Corpus, sentences: Block) -> Block: ...
    @overload
    def decode(self, corpus: Corpus, sentences: list[Sentence]) -> list[Sentence]: ...
