from collections.abc import Iterable, Sequence
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.tagging.tag_features import TagFeatures

ANY: int

class TagTask:
    def __init__(
        self,
        features: TagFeatures | None,
        columns: Sequence[str],
        own: str,
        given: Sequence[str],
        n_classes: int,
        n_known: int,
        entries: Any,
        before: Any,
        fixed: Any,
        n_all_classes: int = 0,
    ) -> None: ...
    @property
    def features(self) -> TagFeatures: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def n_all_classes(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    def tags(self, corpus: Corpus, sentence: int) -> list[int]: ...

def join(classes: Iterable[int]) -> int: ...
