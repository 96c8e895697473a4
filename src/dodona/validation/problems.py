"""Problems of files, with location and severity."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """A problem of a file.

    >>> print(Problem("dev.conllu", 7, 2, "upos", "UPOS is FOO", can_fix=False))
    dev.conllu:7: error [2 upos] UPOS is FOO
    """

    source: str
    line: int
    level: int
    kind: str  # a short name, for counting and searching
    message: str
    is_warning: bool = False
    can_fix: bool = False

    def __str__(self) -> str:
        weight = "warning" if self.is_warning else "error"
        return f"{self.source}:{self.line}: {weight} [{self.level} {self.kind}] {self.message}"

    def to_dict(self) -> dict[str, object]:
        """Return the problem as plain data; "can_mend" is the published name of `can_fix`."""
        fields = self._asdict()
        return fields | {"can_mend": fields.pop("can_fix")}


class Finding(NamedTuple):
    """A problem without the name of its file."""

    line: int
    level: int
    kind: str
    message: str
    is_warning: bool = False
    can_fix: bool = False
