from collections.abc import Collection, Iterable, Sequence

from dodona.core.features.corpus import Corpus
from dodona.tagging.lemma_correction import LemmaCorrection
from dodona.treebank.sentence import Sentence

TAG_COLUMNS: dict[str, int]

def with_tags(
    corpus: Corpus,
    sentences: Iterable[Sentence],
    columns: Sequence[str],
    classes: Sequence[Sequence[bytes] | LemmaCorrection],
    first: int = 0,
    keep: Collection[str] = (),
) -> list[Sentence]: ...
def keep_tags(
    corpus: Corpus,
    sentences: Iterable[Sentence],
    columns: Sequence[str],
    classes: Sequence[Sequence[bytes] | LemmaCorrection],
    column: str,
) -> bytes: ...
