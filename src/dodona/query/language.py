"""The language of patterns, in the manner of Semgrex (Chambers et al. 2007) and Grew.

    upos=VERB as verb >nsubj lemma=oak|beech !>obj *

A pattern is a word and its relations to others; each of those may have relations of its own, in
parentheses. All relations that follow a word without parentheses are its own.

    pattern    word relation*
    relation   [!] sign [labels] (word | "(" pattern ")")
    word       ("*" | condition ("&" condition)*) ["as" NAME]
    condition  KEY ("=" | "!=") value ("|" value)*
    value      TEXT | "TEXT" | /REGEX/ | /REGEX/i | * | LABEL:*
    sign       > (governs)  < (is governed by)  >> <<  (the same, directly or not)
               . (stands right before)  .. (stands before)  $ (has the same head as)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from dodona.errors import DodonaError

SIGNS = (">>", "<<", ">", "<", "..", ".", "$")
LABELLED = (">", "<")
COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
MISC = "misc."
MOST_WORDS = 32

_LEXEME = re.compile(
    r"""\s*(?:
        (?P<sign>>>|<<|>|<|\.\.(?!\.)|\.(?!\.)|\$)
      | (?P<mark>[()&!]|\*(?=[\s)&]|$))
      | (?P<key>[A-Za-z][\w.\[\]-]*)\s*(?P<compare>!?=)
      | (?P<name>[A-Za-z_]\w*)
    )""",
    re.VERBOSE,
)
_VALUE = re.compile(
    r"""\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)" | /(?P<regex>(?:[^/\\]|\\.)+)/(?P<i>i?)
        | (?P<bare>[^\s&|()"/][^\s&|()"]*))""",
    re.VERBOSE,
)
_LABEL = re.compile(_VALUE.pattern.removeprefix(r"\s*"), re.VERBOSE)  # right behind its sign


class PatternError(DodonaError, ValueError):
    """A pattern that is none, and where.

    >>> print(PatternError("upos=VERB >", 11, "expected a word"))
    pattern 'upos=VERB >', character 12: expected a word
    """

    def __init__(self, text: str, place: int, message: str) -> None:
        super().__init__(text, place, message)
        self.text, self.place, self.message = text, place, message

    def __str__(self) -> str:
        return f"pattern {self.text!r}, character {self.place + 1}: {self.message}"


@dataclass(frozen=True)
class Value:
    """What a column is compared with: a text, a regular expression, or anything at all."""

    kind: str  # "text", "regex", "base" (a label with any subtype), "any"
    text: str = ""


@dataclass(frozen=True)
class Condition:
    """One of the values stands in the column, or in its named part; or none of them does."""

    column: str
    name: str  # of a feature, or of a part of MISC; "" for the whole column
    values: tuple[Value, ...]
    is_negated: bool = False


@dataclass(frozen=True)
class Relation:
    """How a word stands to another, and what else is asked of that."""

    sign: str
    labels: tuple[Value, ...]
    is_negated: bool
    target: Node


@dataclass(frozen=True)
class Node:
    """A word of a pattern, with what must hold of it."""

    conditions: tuple[Condition, ...]
    name: str | None
    relations: tuple[Relation, ...] = field(default=())


def parse_pattern(text: str) -> Node:
    """The pattern that a text stands for.

    >>> node = parse_pattern("upos=VERB >nsubj lemma=oak")
    >>> node.conditions[0].column, node.relations[0].sign, node.relations[0].labels[0].text
    ('upos', '>', 'nsubj')
    >>> parse_pattern("upos:VERB")
    Traceback (most recent call last):
    dodona.query.language.PatternError: pattern 'upos:VERB', character 1: expected a word such as \
upos=VERB, lemma=oak&Number=Sing, or * for any; found 'upos:VERB'
    """
    return _Reader(text).pattern()


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.n_words = 0

    def pattern(self) -> Node:
        node = self._node()
        if self._rest():
            self._fail("expected a relation such as >nsubj, <, >>, . or $")
        return node

    def _node(self) -> Node:
        """A word with its relations."""
        node = self._word()
        return Node(node.conditions, node.name, tuple(self._relations()))

    def _relations(self) -> Iterator[Relation]:
        while True:
            start = self._skip_blanks()
            is_negated = self._take("mark", "!") is not None
            sign = self._take("sign")
            if sign is None:
                if is_negated:
                    self._fail("expected a relation after !, such as !>nsubj *")
                self.place = start
                return
            labels = tuple(self._values(_LABEL)) if self._stands_label() else ()
            if labels and sign not in LABELLED:
                self._fail(f"{sign} takes no label; say deprel=… of the word, or use > or <", start)
            yield Relation(sign, labels, is_negated, self._target())

    def _stands_label(self) -> bool:
        """Whether a label follows the sign without a space."""
        following = self.text[self.place : self.place + 1]
        return bool(following) and not following.isspace() and following not in "(*&)"

    def _target(self) -> Node:
        if self._take("mark", "(") is None:
            return self._word()
        node = self._node()
        if self._take("mark", ")") is None:
            self._fail("expected a relation, or ) at the end of what ( began")
        return node

    def _word(self) -> Node:
        self.n_words += 1
        if self.n_words > MOST_WORDS:
            self._fail(f"a pattern has at most {MOST_WORDS} words")
        conditions: list[Condition] = []
        if self._take("mark", "*") is None:
            conditions.append(self._condition())
            while self._take("mark", "&") is not None:
                conditions.append(self._condition())
        return Node(tuple(conditions), self._name())

    def _name(self) -> str | None:
        start = self.place
        if self._take("name", "as") is None:
            self.place = start
            return None
        name = self._take("name")
        return name if name is not None else self._fail("expected a name after as")

    def _condition(self) -> Condition:
        found = _LEXEME.match(self.text, self.place)
        if found is None or found["key"] is None:
            example = "upos=VERB, lemma=oak&Number=Sing, or * for any"
            self._fail(f"expected a word such as {example}")
        start = self._skip_blanks()
        self.place = found.end()
        column, name = self._column(found["key"], start)
        return Condition(column, name, tuple(self._values(_VALUE)), found["compare"] == "!=")

    def _column(self, key: str, start: int) -> tuple[str, str]:
        if key in COLUMNS:
            return key, ""
        if key.startswith(MISC) and len(key) > len(MISC):
            return "misc", key.removeprefix(MISC)
        if key[0].isupper():
            return "feats", key
        known = ", ".join(COLUMNS)
        message = f"no column {key}; there are {known}, misc.NAME, and features such as Number"
        self._fail(message, start, tells=True)

    def _values(self, value: re.Pattern[str]) -> Iterator[Value]:
        yield self._value(value)
        while (found := re.compile(r"\s*\|").match(self.text, self.place)) is not None:
            self.place = found.end()
            yield self._value(_VALUE)

    def _value(self, value: re.Pattern[str]) -> Value:
        found = value.match(self.text, self.place)
        if found is None:
            self._fail('expected a value: a text, "a text", /a regular expression/ or *')
        start, self.place = self.place, found.end()
        if found["regex"] is not None:
            return self._regex(found["regex"].replace(r"\/", "/"), bool(found["i"]), start)
        if found["quoted"] is not None:
            return Value("text", re.sub(r"\\(.)", r"\1", found["quoted"]))
        bare = found["bare"]
        if bare == "*":
            return Value("any")
        if bare.endswith(":*") and len(bare) > 2:
            return Value("base", bare.removesuffix(":*"))
        return Value("text", bare)

    def _regex(self, text: str, ignores_case: bool, start: int) -> Value:
        text = f"(?i:{text})" if ignores_case else text
        try:
            re.compile(text)
        except re.error as error:
            self._fail(f"no regular expression: {error}", start, tells=True)
        return Value("regex", text)

    def _take(self, kind: str, wanted: str | None = None) -> str | None:
        """The next lexeme, if it is of that kind; else the place stays."""
        found = _LEXEME.match(self.text, self.place)
        if found is None or found[kind] is None or found[kind] != (wanted or found[kind]):
            return None
        self.place = found.end()
        return found[kind]

    def _skip_blanks(self) -> int:
        """Where the next lexeme begins."""
        return len(self.text) - len(self.text[self.place :].lstrip())

    def _rest(self) -> str:
        return self.text[self.place :].strip()

    def _fail(self, message: str, place: int | None = None, tells: bool = False) -> NoReturn:
        """Say what was expected and, unless the message tells that itself, what was found."""
        place = self._skip_blanks() if place is None else place
        found = self.text[place:].split()
        if not tells:
            message += f"; found {found[0]!r}" if found else "; the pattern ends here"
        raise PatternError(self.text, place, message)
