from collections.abc import Sequence

from dodona.treebank.sentence import Sentence

OPERATIONS: tuple[str, ...]

class SequenceMatcher:
    def __init__(self, code: Sequence[tuple[int, int, int]], n_slots: int) -> None: ...
    def find(
        self, sentences: list[Sentence], marks: list[bytes], most: int, most_steps: int
    ) -> list[list[tuple[int, ...]]]: ...
    def count(self, sentences: list[Sentence], marks: list[bytes], most_steps: int) -> int: ...
