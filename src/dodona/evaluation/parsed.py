"""The columns of a sentence that are scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Parsed(Protocol):
    """A sentence that can be scored, such as `dodona.Sentence`."""

    @property
    def forms(self) -> Sequence[str]: ...
    @property
    def upos(self) -> Sequence[str]: ...
    @property
    def heads(self) -> Sequence[int | None]: ...
    @property
    def deprels(self) -> Sequence[str]: ...
