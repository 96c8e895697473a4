"""The language of word sequences: regular expressions whose characters are words in brackets.

    ([upos=DET]? [upos=ADJ]* as adjectives [upos=NOUN]+) as phrase

    sequence     alternative ("|" alternative)*
    alternative  item+
    item         atom [quantifier ["?"]] ["as" NAME]
    atom         "[" [pattern] "]" | "(" sequence ")" | "^" | "$"
    quantifier   * | + | ? | {N} | {N,} | {,M} | {N,M}

A bracket has a pattern of `language`, without names, and matches a word that is the first of a
match; `[]` is any word. `^` and `$` are the limits of the sentence. A `?` after a quantifier means
that few words are preferred to many.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from dodona.query.language import MOST_WORDS, PatternError, PatternWord, parse_pattern

MOST_NESTED = 32  # parentheses inside each other
MOST_REPEATS = 100
OPENINGS = ("[", "(", "^")
UNLIMITED = -1

_INSIDE = re.compile(
    r"""[=|<>]\s*/(?:[^/\\]|\\.)+/ | "(?:[^"\\]|\\.)*" | \[[^\[\]]*\] | [^\[\]"]""", re.VERBOSE
)
_QUANTIFIER = re.compile(
    r"\s*(?:(?P<sign>[*+?])|\{\s*(?P<least>\d{1,9})?\s*(?P<comma>,)?\s*(?P<most>\d{1,9})?\s*\})"
    r"(?P<lazy>\?)?"
)
_NAME = re.compile(r"\s*as\b(?:\s+(?P<name>[A-Za-z_]\w*))?")
_RANGES = {"*": (0, UNLIMITED), "+": (1, UNLIMITED), "?": (0, 1)}


@dataclass(frozen=True)
class Bracket:
    """One word."""

    word: PatternWord


@dataclass(frozen=True)
class Anchor:
    """The beginning or the end of the sentence."""

    is_end: bool


@dataclass(frozen=True)
class Repeat:
    """A node from `least` to `most` times; greedy, or lazy."""

    node: Node
    least: int
    most: int  # or UNLIMITED
    is_lazy: bool


@dataclass(frozen=True)
class Capture:
    """A node whose words have a name."""

    node: Node
    name: str


@dataclass(frozen=True)
class Sequence:
    """Nodes one after the other."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Alternatives, the preferred one first."""

    nodes: tuple[Node, ...]


Node = Bracket | Anchor | Repeat | Capture | Sequence | Choice


def is_sequence(text: str) -> bool:
    """Return whether a pattern is a sequence of words, and not a tree.

    >>> is_sequence("[upos=ADJ]* [upos=NOUN]+"), is_sequence("upos=NOUN >amod *")
    (True, False)
    """
    return text.lstrip().startswith(OPENINGS)


def parse_sequence(text: str) -> Node:
    """Parse a sequence.

    >>> parse_sequence("[upos=NOUN]+").least
    1
    >>> parse_sequence("[upos=NOUN")
    Traceback (most recent call last):
    dodona.query.language.PatternError: pattern '[upos=NOUN', character 1: this [ has no ]
    """
    parser = _SequenceParser(text)
    node = parser.choice()
    if parser.position < len(text):
        parser.fail(
            "this ) has no (" if parser.peek() == ")" else "expected a word such as [upos=NOUN]"
        )
    return node


class _SequenceParser:
    """A recursive-descent parser of sequences."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.n_open = self.n_brackets = 0
        self.names: set[str] = set()

    def choice(self) -> Node:
        nodes = [self._alternative()]
        while self.peek() == "|":
            self.position += 1
            nodes.append(self._alternative())
        return nodes[0] if len(nodes) == 1 else Choice(tuple(nodes))

    def _alternative(self) -> Node:
        nodes = []
        while self.peek() in ("[", "(", "^", "$"):
            nodes.append(self._item())
        if not nodes:
            self.fail("expected a word such as [upos=NOUN], or a group in parentheses")
        return nodes[0] if len(nodes) == 1 else Sequence(tuple(nodes))

    def _item(self) -> Node:
        node = self._quantified(self._atom())
        if (found := _NAME.match(self.text, self.position)) is None:
            return node
        name, start = found["name"], self.position
        self.position = found.end()
        if name is None:
            self.fail("expected a name after as")
        if name in self.names:
            self.fail(f"the name {name} is given twice", start)
        self.names.add(name)
        return Capture(node, name)

    def _atom(self) -> Node:
        opening = self.peek()
        if opening == "[":
            return self._bracket()
        start, self.position = self.position, self.position + 1
        if opening != "(":
            return Anchor(opening == "$")
        self.n_open += 1
        if self.n_open > MOST_NESTED:
            self.fail(f"at most {MOST_NESTED} parentheses may be nested", start)
        node = self.choice()
        if self.peek() != ")":
            self.fail("this ( has no )", start)
        self.position += 1
        self.n_open -= 1
        return node

    def _bracket(self) -> Bracket:
        start = self.position
        self.n_brackets += 1
        if self.n_brackets > MOST_WORDS:
            self.fail(f"a sequence has at most {MOST_WORDS} words in brackets")
        end = start + 1
        while (found := _INSIDE.match(self.text, end)) is not None:
            end = found.end()
        if self.text[end : end + 1] != "]":
            self.fail("this [ has no ]", start)
        inside = self.text[start + 1 : end]
        try:
            word = parse_pattern(inside if inside.strip() else "*")
        except PatternError as error:
            self.fail(error.message, start + 1 + error.place)
        if _has_name(word):
            self.fail("a name is given after the bracket: [upos=NOUN] as noun", start)
        self.position = end + 1
        return Bracket(word)

    def _quantified(self, node: Node) -> Node:
        found = _QUANTIFIER.match(self.text, self.position)
        if found is None:
            if self.peek() == "{":
                self.fail("expected a number of times such as {2}, {2,} or {1,3}")
            return node
        if found["sign"]:
            least, most = _RANGES[found["sign"]]
        else:
            if not (found["least"] or found["most"]):
                self.fail("expected a number of times such as {2}, {2,} or {1,3}")
            least = int(found["least"] or 0)
            most = int(found["most"] or UNLIMITED) if found["comma"] else least
        if (most != UNLIMITED and (least > most or most == 0)) or max(least, most) > MOST_REPEATS:
            self.fail(f"a number of times is from 1 to {MOST_REPEATS}, the smaller first")
        self.position = found.end()
        return Repeat(node, least, most, found["lazy"] is not None)

    def peek(self) -> str:
        """Skip blanks, and return the next character; "" at the end."""
        self.position = len(self.text) - len(self.text[self.position :].lstrip())
        return self.text[self.position : self.position + 1]

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        self.peek()
        raise PatternError(self.text, self.position if position is None else position, message)


def _has_name(word: PatternWord) -> bool:
    return word.name is not None or any(_has_name(below.target) for below in word.relations)
