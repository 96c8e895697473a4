"""Blocks of lines, one per sentence, of files that may be invalid; the problems found in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
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


finding = partial(Problem, "")  # a problem without the name of its file

_WORD = re.compile(r"[1-9][0-9]*")
_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")


class ConlluRow(NamedTuple):
    """A line of ten columns: a word, a range of words, an empty node, or an invalid line."""

    line: int
    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str

    @property
    def is_word(self) -> bool:
        """Whether the line is a word."""
        return _WORD.fullmatch(self.id) is not None

    @property
    def range(self) -> tuple[int, int] | None:
        """First and last word of a range; None for other lines."""
        found = _RANGE.fullmatch(self.id)
        return None if found is None else (int(found[1]), int(found[2]))

    @property
    def empty_node(self) -> tuple[int, int] | None:
        """Word before an empty node, and number of the node after it; None for other lines."""
        found = _EMPTY.fullmatch(self.id)
        return None if found is None else (int(found[1]), int(found[2]))

    def finding(self, level: int, kind: str, message: str, *, can_fix: bool = False) -> Problem:
        """Return a problem of this line; those of level 3 are warnings."""
        return finding(self.line, level, kind, message, level == 3, can_fix)


NAMES = tuple(name.upper() for name in ConlluRow._fields[1:])


@dataclass
class SentenceBlock:
    """The lines of a sentence, the first of which is number `line`."""

    line: int
    lines: list[str] = field(default_factory=list)  # without line ends

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Iterate over the lines with their numbers."""
        return enumerate(self.lines, start=self.line)

    @property
    def comments(self) -> list[tuple[int, str]]:
        return [(number, line) for number, line in self.numbered() if line.startswith("#")]

    @cached_property
    def rows(self) -> list[ConlluRow]:
        """Lines with ten columns."""
        found = []
        for number, line in self.numbered():
            fields = line.split("\t")
            if not line.startswith("#") and len(fields) == len(NAMES):
                found.append(ConlluRow(number, *fields))
        return found

    @cached_property
    def words(self) -> list[ConlluRow]:
        return [row for row in self.rows if row.is_word]


def split_blocks(lines: Iterable[str]) -> Iterator[SentenceBlock]:
    """Yield the blocks of lines between empty lines; the first line is number 1.

    >>> [(block.line, len(block.lines)) for block in split_blocks(["# a", "1", "", "", "1"])]
    [(1, 2), (5, 1)]
    """
    for is_blank, some in groupby(enumerate(lines, start=1), lambda item: not item[1].strip()):
        if not is_blank:
            numbers, block = zip(*some, strict=True)
            yield SentenceBlock(numbers[0], list(block))
