from collections.abc import Callable, Sequence

from dodona.treebank.sentence import Sentence

class Matcher:
    def __init__(
        self,
        values: Sequence[tuple[int, bytes]],
        predicates: Sequence[Callable[[str], bool]],
        tests: Sequence[tuple[int, bytes, int, int, bool]],
        nodes: Sequence[tuple[int, int, int, int, int, int, int]],
        groups: Sequence[tuple[int, int, Sequence[int]]],
    ) -> None: ...
    def find(self, sentence: Sentence, most: int, most_steps: int) -> list[tuple[int, ...]]: ...
    def count(self, sentence: Sentence, most_steps: int) -> int: ...

VALUE_KINDS: tuple[str, ...]
