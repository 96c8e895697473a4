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
    def find(
        self, sentences: list[Sentence], most: int, most_steps: int
    ) -> list[list[tuple[int, ...]]]: ...
    def count(self, sentences: list[Sentence], most_steps: int) -> int: ...
    def mark(self, sentences: list[Sentence], most_steps: int) -> bytes: ...

VALUE_KINDS: tuple[str, ...]
