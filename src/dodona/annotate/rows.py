"""A sentence as lines that can be edited: what is not touched keeps its bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO

from dodona.annotate.errors import ChangeError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
TAGS = {"lemma": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS}
BLANK = "_"
NewNumber = Callable[[int], int | None]
_MARK = "\ufeff"  # the byte order mark of a file
_ENCODING = ("utf-8", "surrogateescape")  # comments may hold any bytes


@dataclass
class Row:
    """A line of ten columns: a word, a range of words or an empty node."""

    fields: list[str]
    end: str  # of the line

    @property
    def is_word(self) -> bool:
        return self.fields[ID].isdecimal()

    @property
    def range(self) -> tuple[int, int] | None:
        """First and last word of a multiword token."""
        first, dash, last = self.fields[ID].partition("-")
        return (int(first), int(last)) if dash else None

    @property
    def misc(self) -> list[str]:
        """The parts of MISC."""
        return [] if self.fields[MISC] == BLANK else self.fields[MISC].split("|")

    @misc.setter
    def misc(self, parts: list[str]) -> None:
        self.fields[MISC] = "|".join(parts) or BLANK

    @property
    def space_after(self) -> bool:
        return "SpaceAfter=No" not in self.misc

    @space_after.setter
    def space_after(self, value: bool) -> None:
        if value != self.space_after:
            spaces = ("SpaceAfter", "SpacesAfter")
            kept = [part for part in self.misc if part.partition("=")[0] not in spaces]
            self.misc = kept if value else ["SpaceAfter=No", *kept]

    @property
    def head(self) -> int | None:
        value = self.fields[HEAD]
        return int(value) if value.isdecimal() else None

    def attach(self, head: int | None, deprel: str) -> None:
        self.fields[HEAD] = BLANK if head is None else str(head)
        self.fields[DEPREL] = deprel or BLANK


@dataclass
class Rows:
    """The lines of a sentence: what precedes it, comments, rows, and the blank lines after it.

    >>> data = b"# text = Speak\\r\\n1\\tSpeak\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\r\\n\\r\\n"
    >>> rows = Rows.of(data)
    >>> rows.comments, rows.words[0].fields[FORM], bytes(rows) == data
    (['# text = Speak'], 'Speak', True)
    """

    before: str
    lines: list[Row | str]  # a string is a comment, with its line end
    after: str
    end: str = field(default="\n")  # of new lines

    @classmethod
    def of(cls, data: bytes) -> Rows:
        """Split the lines of a sentence, which is valid."""
        lines = re.findall(r"[^\n]*\n|[^\n]+", data.decode(*_ENCODING))
        blank = [line.strip("\r\n" + _MARK) == "" for line in lines]
        first = next(i for i, is_blank in enumerate(blank) if not is_blank)
        last = next(i for i in reversed(range(len(lines))) if not blank[i])
        before, own = "".join(lines[:first]), lines[first : last + 1]
        if own[0].startswith(_MARK):
            before, own[0] = before + _MARK, own[0][1:]
        end = "\r\n" if own[0].endswith("\r\n") else "\n"
        return cls(before, [*map(_line, own)], "".join(lines[last + 1 :]), end)

    def copy(self) -> Rows:
        """Return a copy to edit."""
        lines = [
            Row([*line.fields], line.end) if isinstance(line, Row) else line for line in self.lines
        ]
        return Rows(self.before, lines, self.after, self.end)

    def __bytes__(self) -> bytes:
        lines = (line if isinstance(line, str) else _text(line) for line in self.lines)
        return "".join((self.before, *lines, self.after)).encode(*_ENCODING)

    def sentence(self) -> Sentence:
        """Return the sentence that the lines form; refuse lines that form none."""
        return sentence_of(bytes(self))

    @property
    def comments(self) -> list[str]:
        return [line.rstrip("\r\n") for line in self.lines if isinstance(line, str)]

    @comments.setter
    def comments(self, values: list[str]) -> None:
        old = {line.rstrip("\r\n"): line for line in self.lines if isinstance(line, str)}
        new = [old.get(value, value + self.end) for value in values]
        self.lines = [*new, *self.rows]

    @property
    def rows(self) -> list[Row]:
        return [line for line in self.lines if isinstance(line, Row)]

    @property
    def words(self) -> list[Row]:
        return [row for row in self.rows if row.is_word]

    @property
    def ranges(self) -> list[Row]:
        return [row for row in self.rows if row.range is not None]

    def word(self, number: int) -> Row:
        """Return a word by its number; refuse one that the sentence does not have."""
        words = self.words
        if not 1 <= number <= len(words):
            raise ChangeError(f"word {number}: the sentence has {len(words)} words")
        return words[number - 1]

    def tokens(self) -> Iterator[Row]:
        """Yield the rows that make up the text: ranges, and words outside of them."""
        covered = 0
        for row in self.rows:
            if row.range is not None:
                covered = row.range[1]
                yield row
            elif row.is_word and int(row.fields[ID]) > covered:
                yield row

    def text(self) -> str:
        """Return the text of the tokens, joined as MISC says."""
        parts = [row.fields[FORM] + " " * row.space_after for row in self.tokens()]
        return "".join(parts).removesuffix(" ")

    def comment(self, name: str) -> str | None:
        """Return the value of a comment such as "# text = …"."""
        for line in self.comments:
            key, sign, value = line[1:].partition("=")
            if sign and key.strip() == name:
                return value.strip()
        return None

    def set_comment(self, name: str, value: str) -> None:
        """Change the first comment of a name, if the sentence has one."""
        comments = self.comments
        for i, line in enumerate(comments):
            key, sign, _ = line[1:].partition("=")
            if sign and key.strip() == name:
                comments[i] = f"# {name} = {value}"
                self.comments = comments
                return

    def renumber(self, new: NewNumber, anchor: NewNumber | None = None) -> None:
        """Give words new numbers, in every column that refers to them; None: the word is gone.

        An arc from a word that is gone is removed. Empty nodes follow the word that `anchor` says.
        """
        anchor = anchor or new
        for row in self.rows:
            fields = row.fields
            if row.range is not None:
                first, last = row.range
                fields[ID] = f"{new(first)}-{new(last)}"
            elif row.is_word:
                fields[ID] = str(new(int(fields[ID])))
                if row.head:
                    head = new(row.head)
                    row.attach(head, fields[DEPREL] if head else BLANK)
            else:
                fields[ID] = _new_node(fields[ID], new, anchor) or fields[ID]
            if fields[DEPS] != BLANK:
                arcs = (arc.partition(":") for arc in fields[DEPS].split("|"))
                kept = [(_new_node(head, new, anchor), relation) for head, _, relation in arcs]
                fields[DEPS] = "|".join(f"{head}:{rel}" for head, rel in kept if head) or BLANK


def _new_node(node: str, new: NewNumber, anchor: NewNumber) -> str | None:
    """Return the new name of a word, an empty node (3.1) or the root."""
    word, dot, rest = node.partition(".")
    number = 0 if word == "0" else (anchor if dot else new)(int(word))
    return None if number is None else f"{number}{dot}{rest}"


def sentence_of(data: bytes) -> Sentence:
    """Return the sentence of some lines, which may lack heads."""
    return next(iter(read(BytesIO(data), trees="optional")))


def _line(line: str) -> Row | str:
    content = line.rstrip("\r\n")
    return line if content.startswith("#") else Row(content.split("\t"), line[len(content) :])


def _text(row: Row) -> str:
    return "\t".join(row.fields) + row.end
