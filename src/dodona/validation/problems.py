"""What is wrong, where, and how bad that is."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong with a file.

    >>> print(Problem("dev.conllu", 7, 2, "upos", "UPOS is FOO", can_mend=False))
    dev.conllu:7: error [2 upos] UPOS is FOO
    """

    source: str
    line: int
    level: int
    kind: str  # a short name, to count and to look for
    message: str
    is_warning: bool = False
    can_mend: bool = False

    def __str__(self) -> str:
        weight = "warning" if self.is_warning else "error"
        return f"{self.source}:{self.line}: {weight} [{self.level} {self.kind}] {self.message}"

    def to_dict(self) -> dict[str, object]:
        """The problem as plain data."""
        return self._asdict()


class Found(NamedTuple):
    """A problem before it is known which file it is in."""

    line: int
    level: int
    kind: str
    message: str
    is_warning: bool = False
    can_mend: bool = False
