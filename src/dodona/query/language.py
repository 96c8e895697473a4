"""The pattern language, similar to Semgrex (Chambers et al. 2007) and Grew.

    upos=VERB as verb >nsubj lemma=oak|beech !>obj *

A pattern is a word and its relations to other words, which may have relations of their own in
parentheses. All relations that follow a word without parentheses belong to that word.

    pattern    word relation*
    relation   [!] sign [labels] (word | "(" pattern ")")
    word       ("*" | condition ("&" condition)*) ["as" NAME]
    condition  KEY ("=" | "!=") value ("|" value)*
    value      TEXT | "TEXT" | /REGEX/ | /REGEX/i | * | LABEL:*
    sign       > (is head of)  < (depends on)  >> (is ancestor of)  << (descends from)
               . (immediately precedes)  .. (precedes)  $ (has the same head as)
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
_LABEL = re.compile(_VALUE.pattern.removeprefix(r"\s*"), re.VERBOSE)  # directly after its sign


class PatternError(DodonaError, ValueError):
    """An invalid pattern, with the position of the error.

    >>> print(PatternError("upos=VERB >", 11, "expected a word"))
    pattern 'upos=VERB >', character 12: expected a word
    """

    def __init__(self, text: str, position: int, message: str) -> None:
        super().__init__(text, position, message)
        self.text, self.place, self.message = text, position, message

    def __str__(self) -> str:
        return f"pattern {self.text!r}, character {self.place + 1}: {self.message}"


class StepLimitError(DodonaError, ValueError):
    """A search for a pattern that takes more steps in a sentence than it may.

    >>> print(StepLimitError("oak.conllu:7", 75, 10_000))
    oak.conllu:7: in this sentence of 75 words, the pattern takes more than 10,000 steps; give its \
words more conditions, or allow more steps
    """

    def __init__(self, where: str, n_words: int, most_steps: int) -> None:
        super().__init__(where, n_words, most_steps)

    def __str__(self) -> str:
        where, n_words, most_steps = self.args
        return (
            f"{where}: in this sentence of {n_words:,} words, the pattern takes more than "
            f"{most_steps:,} steps; give its words more conditions, or allow more steps"
        )


@dataclass(frozen=True)
class Value:
    """A value that a column is compared with: a text, a regular expression, or any value."""

    kind: str  # "text", "regex", "base" (a label with any subtype), "any"
    text: str = ""


@dataclass(frozen=True)
class Condition:
    """A condition: a column, or a named part of it, has one of the values, or none of them."""

    column: str
    name: str  # of a feature, or of a part of MISC; "" for the whole column
    values: tuple[Value, ...]
    is_negated: bool = False


@dataclass(frozen=True)
class WordRelation:
    """A relation of a word to another word of the pattern."""

    sign: str
    labels: tuple[Value, ...]
    is_negated: bool
    target: PatternWord


@dataclass(frozen=True)
class PatternWord:
    """A word of a pattern, with its conditions and relations."""

    conditions: tuple[Condition, ...]
    name: str | None
    relations: tuple[WordRelation, ...] = field(default=())


def parse_pattern(text: str) -> PatternWord:
    """Parse a pattern.

    >>> node = parse_pattern("upos=VERB >nsubj lemma=oak")
    >>> node.conditions[0].column, node.relations[0].sign, node.relations[0].labels[0].text
    ('upos', '>', 'nsubj')
    >>> parse_pattern("upos:VERB")
    Traceback (most recent call last):
    dodona.query.language.PatternError: pattern 'upos:VERB', character 1: expected a word such as \
upos=VERB, lemma=oak&Number=Sing, or * for any; found 'upos:VERB'
    """
    return _PatternParser(text).pattern()


class _PatternParser:
    """A recursive-descent parser of patterns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.n_words = 0

    def pattern(self) -> PatternWord:
        node = self._node()
        if self.text[self.position :].strip():
            self._fail("expected a relation such as >nsubj, <, >>, . or $")
        return node

    def _node(self) -> PatternWord:
        """Parse a word with its relations."""
        node = self._word()
        return PatternWord(node.conditions, node.name, tuple(self._relations()))

    def _relations(self) -> Iterator[WordRelation]:
        while True:
            start = self._skip_blanks()
            is_negated = self._take("mark", "!") is not None
            sign = self._take("sign")
            if sign is None:
                if is_negated:
                    self._fail("expected a relation after !, such as !>nsubj *")
                self.position = start
                return
            following = self.text[self.position : self.position + 1]
            has_label = following and not following.isspace() and following not in "(*&)"
            labels = tuple(self._values(_LABEL)) if has_label else ()
            if labels and sign not in LABELLED:
                self._fail(
                    f"{sign} takes no label; give the word a condition deprel=…, or use > or <",
                    start,
                )
            yield WordRelation(sign, labels, is_negated, self._target())

    def _target(self) -> PatternWord:
        if self._take("mark", "(") is None:
            return self._word()
        node = self._node()
        if self._take("mark", ")") is None:
            self._fail("expected a relation, or the closing )")
        return node

    def _word(self) -> PatternWord:
        self.n_words += 1
        if self.n_words > MOST_WORDS:
            self._fail(f"a pattern has at most {MOST_WORDS} words")
        conditions: list[Condition] = []
        if self._take("mark", "*") is None:
            conditions.append(self._condition())
            while self._take("mark", "&") is not None:
                conditions.append(self._condition())
        return PatternWord(tuple(conditions), self._name())

    def _name(self) -> str | None:
        start = self.position
        if self._take("name", "as") is None:
            self.position = start
            return None
        name = self._take("name")
        return name if name is not None else self._fail("expected a name after as")

    def _condition(self) -> Condition:
        found = _LEXEME.match(self.text, self.position)
        if found is None or found["key"] is None:
            example = "upos=VERB, lemma=oak&Number=Sing, or * for any"
            self._fail(f"expected a word such as {example}")
        start = self._skip_blanks()
        self.position = found.end()
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
        message = f"unknown column {key}; expected {known}, misc.NAME, or a feature such as Number"
        self._fail(message, start, is_complete=True)

    def _values(self, value: re.Pattern[str]) -> Iterator[Value]:
        yield self._value(value)
        while (found := re.compile(r"\s*\|").match(self.text, self.position)) is not None:
            self.position = found.end()
            yield self._value(_VALUE)

    def _value(self, value: re.Pattern[str]) -> Value:
        found = value.match(self.text, self.position)
        if found is None:
            self._fail('expected a value: a text, "a text", /a regular expression/ or *')
        start, self.position = self.position, found.end()
        if found["regex"] is not None:
            text = found["regex"].replace(r"\/", "/")
            try:
                re.compile(text := f"(?i:{text})" if found["i"] else text)
            except RecursionError:
                self._fail("the regular expression is nested too deeply", start, is_complete=True)
            except (re.error, OverflowError) as error:
                self._fail(f"invalid regular expression: {error}", start, is_complete=True)
            return Value("regex", text)
        if found["quoted"] is not None:
            return Value("text", re.sub(r"\\(.)", r"\1", found["quoted"]))
        bare = found["bare"]
        if bare == "*":
            return Value("any")
        if bare.endswith(":*") and len(bare) > 2:
            return Value("base", bare.removesuffix(":*"))
        return Value("text", bare)

    def _take(self, kind: str, wanted: str | None = None) -> str | None:
        """Consume and return the next lexeme if it is of that kind."""
        found = _LEXEME.match(self.text, self.position)
        if found is None or found[kind] is None or found[kind] != (wanted or found[kind]):
            return None
        self.position = found.end()
        return found[kind]

    def _skip_blanks(self) -> int:
        """Return the position of the next lexeme."""
        return len(self.text) - len(self.text[self.position :].lstrip())

    def _fail(
        self, message: str, position: int | None = None, is_complete: bool = False
    ) -> NoReturn:
        """Raise an error with what was expected and, unless `is_complete`, what was found."""
        position = self._skip_blanks() if position is None else position
        found = self.text[position:].split()
        if not is_complete:
            message += f"; found {found[0]!r}" if found else "; the pattern ends here"
        raise PatternError(self.text, position, message)
