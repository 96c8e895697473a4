from collections.abc import Collection, Sequence
from typing import overload

from dodona.core.features.corpus import Corpus
from dodona.tagging.lemma_correction import LemmaCorrection
from dodona.treebank.block import Block
from dodona.treebank.sentence import Sentence

TAG_COLUMNS: dict[str, int]

@overload
def with_tags(
    corpus: Corpus,
    sentences: Block,
    columns: Sequence[str],
    classes: Sequence[Sequence[bytes] | LemmaCorrection],
    first: int = 0,
    keep: Collection[str] = (),
) -> Block: ...
@overload
def with_tags(
    corpus: Corpus,
    sentences: list[Sentence],
    columns: Sequence[str],
    classes: Sequence[Sequence[bytes] | LemmaCorrection],
    first: int = 0,
    keep: Collection[str] = (),
) -> list[Sentence]: ...
def keep_tags(
    corpus: Corpus,
    sentences: list[Sentence] | Block,
    columns: Sequence[str],
    classes: Sequence[Sequence[bytes] | LemmaCorrection],
    column: str,
) -> bytes: ...
