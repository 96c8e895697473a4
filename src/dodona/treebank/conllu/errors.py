"""Errors in treebanks, with file and line."""

from __future__ import annotations

from dodona.errors import DodonaError


class TreebankError(DodonaError, ValueError):
    """An error in a file, with its location.

    >>> print(TreebankError("dev.conllu", 812, "expected 10 tab-separated columns, found 9"))
    dev.conllu:812: expected 10 tab-separated columns, found 9
    """

    def __init__(self, source: str, line: int | None, message: str) -> None:
        super().__init__(source, line, message)
        self.source, self.line, self.message = source, line, message

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{where}: {self.message}"


class BadSentence:
    """A block of lines that is not a valid sentence: its bytes, and the error.

    >>> bad = BadSentence(b"1\\tOracles\\n\\n", TreebankError("x.conllu", 1, "expected 10 columns"))
    >>> bytes(bad), bad.error.line
    (b'1\\tOracles\\n\\n', 1)
    """

    __slots__ = ("_raw", "error")

    def __init__(self, raw: bytes, error: TreebankError) -> None:
        self._raw, self.error = raw, error

    def __bytes__(self) -> bytes:
        return self._raw

    def __repr__(self) -> str:
        return f"<BadSentence {self.error}>"
