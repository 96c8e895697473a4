from collections.abc import Sequence
from typing import Any

from dodona.core.corpus import Corpus
from dodona.core.tag_features import TagFeatures

class TagTask:
    def __init__(
        self,
        features: TagFeatures,
        columns: Sequence[str],
        own: str,
        given: str,
        n_classes: int,
        entries: Any,
        before: Any,
        fixed: Any,
    ) -> None: ...
    @property
    def features(self) -> TagFeatures: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    def tags(self, corpus: Corpus, sentence: int) -> list[int]: ...
