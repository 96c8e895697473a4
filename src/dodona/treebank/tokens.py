"""Tokens of the text, which consist of one or more words of the tree (3-4 du: 3 de, 4 le)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dodona.treebank.token_ranges import ranges
from dodona.treebank.word import named_values

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence


class Token(NamedTuple):
    """A token of the text, which consists of the words `first` to `last`; mostly of one.

    >>> Token(3, 4, "du", "SpaceAfter=No|TokenRange=10:12").space_after
    False
    """

    first: int
    last: int
    form: str
    misc: str

    @property
    def is_multiword(self) -> bool:
        """Whether the token has several words, and so a line of its own in the file."""
        return self.last > self.first

    @property
    def start(self) -> int | None:
        """Start of the token in the text, in characters, if MISC has a TokenRange."""
        return self._offset(0)

    @property
    def end(self) -> int | None:
        """End of the token in the text, in characters, if MISC has a TokenRange."""
        return self._offset(1)

    @property
    def space_after(self) -> bool:
        """Whether a space follows the token in the text."""
        return named_values(self.misc).get("SpaceAfter") != "No"

    def _offset(self, side: int) -> int | None:
        numbers = named_values(self.misc).get("TokenRange", "").split(":")
        is_range = len(numbers) == 2 and all(map(str.isdecimal, numbers))
        return int(numbers[side]) if is_range else None

    @property
    def white_space(self) -> str:
        """White space between this token and the next, as UDPipe records it (SpacesAfter)."""
        values = named_values(self.misc)
        if "SpacesAfter" in values:
            return unescape_spaces(values["SpacesAfter"])
        return "" if values.get("SpaceAfter") == "No" else " "


def tokens(sentence: Sentence) -> list[Token]:
    """Return the tokens of a sentence, in order."""
    found, done = [], 0
    words = list(zip(sentence.forms, sentence.misc, strict=True))
    for first, last, form, misc in [*ranges(sentence), (len(words) + 1, 0, "", "")]:
        found += [Token(i, i, *words[i - 1]) for i in range(done + 1, first)]
        if last:
            found.append(Token(first, last, form, misc))
        done = last
    return found


def text(sentence: Sentence) -> str:
    """Return the text of a sentence: its `# text` comment, or its tokens joined.

    >>> from dodona.treebank.sentence import Sentence
    >>> text(Sentence.from_columns(["Speak", "!"], misc=["SpaceAfter=No", "_"]))
    'Speak!'
    """
    found = comment(sentence, "text")
    if found is not None:
        return found
    parts = [token.form + " " * token.space_after for token in tokens(sentence)]
    return "".join(parts).removesuffix(" ")


def comment(sentence: Sentence, name: str) -> str | None:
    """Return the value of the comment "# name = …", if any.

    >>> from dodona.treebank.sentence import Sentence
    >>> comment(Sentence.from_columns(["Speak"], comments=["# sent_id = 7"]), "sent_id")
    '7'
    """
    for line in sentence.comments:
        key, sign, value = line[1:].partition("=")
        if sign and key.strip() == name:
            return value.strip()
    return None


# how UDPipe escapes white space in MISC, where a bar ends the value
ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
UNESCAPES = {code: char for char, code in ESCAPES.items()}


def escape_spaces(white_space: str) -> str:
    """Return white space as a value of SpacesAfter.

    >>> escape_spaces("\\n ")
    '\\\\n\\\\s'
    """
    return "".join(ESCAPES.get(char, char) for char in white_space)


def unescape_spaces(value: str) -> str:
    """Return the white space of a value of SpacesAfter.

    >>> unescape_spaces(r"\\n\\s")
    '\\n '
    """
    return re.sub(r"\\.", lambda code: UNESCAPES.get(code[0], code[0]), value, flags=re.DOTALL)
