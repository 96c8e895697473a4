from collections.abc import Mapping, Sequence

from dodona.treebank.encoding.vocabulary import Vocabulary

class PathTable:
    def __init__(
        self,
        labels: Sequence[str],
        patterns: Sequence[Sequence[tuple[int, str]]],
        choices: Sequence[Sequence[int]],
        steps: Sequence[int],
        outputs: Mapping[tuple[int, int], int],
        is_root: Sequence[bool],
    ) -> None: ...
    @property
    def labels(self) -> Vocabulary: ...
    @property
    def n_classes(self) -> int: ...
