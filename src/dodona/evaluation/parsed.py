"""What is needed of a sentence to be scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Parsed(Protocol):
    """What is needed of a sentence; every `Sentence` of a treebank has it."""

    @property
    def forms(self) -> Sequence[str]: ...
    @property
    def upos(self) -> Sequence[str]: ...
    @property
    def heads(self) -> Sequence[int | None]: ...
    @property
    def deprels(self) -> Sequence[str]: ...
