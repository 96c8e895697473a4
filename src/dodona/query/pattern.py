"""Compiled patterns and their matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from dodona.query.language import COLUMNS, SIGNS, PatternError, Value, WordRelation, parse_pattern
from dodona.query.matcher import VALUE_KINDS, Matcher

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence
    from dodona.treebank.word import Word

ANYWHERE = len(SIGNS)  # the sign of the first word
ALL = (1 << 63) - 1
MOST_STEPS = 10_000_000  # words tried in a sentence: half a second


class Match:
    """The words of a sentence that match a pattern, in the order of the pattern.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> (match,) = Pattern("deprel=root as verb >nsubj * as subject").matches(oaks)
    >>> match, match["subject"], match.words
    (<Match verb=speak subject=Oaks>, <Word 1 Oaks>, [<Word 2 speak>, <Word 1 Oaks>])
    """

    __slots__ = ("_positions", "pattern", "sentence")

    def __init__(self, pattern: Pattern, sentence: Sentence, positions: tuple[int, ...]) -> None:
        self.pattern = pattern
        self.sentence = sentence
        self._positions = positions

    @property
    def words(self) -> list[Word]:
        """Matched words, in the order of the pattern."""
        return [self.sentence[position] for position in self._positions]

    @property
    def ids(self) -> list[int]:
        """Numbers of the matched words, from 1."""
        return [position + 1 for position in self._positions]

    def __getitem__(self, key: str | int) -> Word:
        """Return the word with a name, or at an index of the pattern, from 0."""
        if isinstance(key, int):
            return self.sentence[self._positions[key]]
        if key not in self.pattern.name_places:
            names = ", ".join(self.pattern.names) or "none (give some: upos=VERB as verb)"
            raise KeyError(f"the pattern has no word named {key!r}; its names: {names}")
        return self.sentence[self._positions[self.pattern.name_places[key]]]

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __repr__(self) -> str:
        named = {position: name for name, position in self.pattern.name_places.items()}
        words = [
            f"{named[i]}={word.form}" if i in named else word.form
            for i, word in enumerate(self.words)
        ]
        return f"<Match {' '.join(words)}>"


class Pattern:
    """A pattern of words and arcs; `dodona.query.language` has its grammar.

    Different words of a pattern match different words of the sentence, unless they share a name.
    `regexes=False` refuses /regular expressions/, whose time is unbounded, in untrusted patterns.
    A search that tries more than `steps` words in one sentence raises `StepLimitError`.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> Pattern("form=speak >nsubj form=/oaks?/i").count(oaks)
    1
    """

    def __init__(self, text: str, *, regexes: bool = True, steps: int = MOST_STEPS) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a pattern is a text such as 'upos=VERB >nsubj *', not {text!r}")
        if not 1 <= steps <= ALL:
            raise ValueError(f"steps must be from 1 to {ALL}, not {steps}")
        self.text, self.steps = text, steps
        program = _Program(text, regexes)
        self.name_places = program.name_places
        self.n_words = program.groups[0][1]
        self._matcher = program.matcher()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the words of the pattern."""
        return tuple(self.name_places)

    def matches(self, sentence: Sentence, *, most: int = ALL) -> list[Match]:
        """Return the matches in a sentence, at most `most`, in the order of their first words."""
        found = self._matcher.find(sentence, most, self.steps)
        return [Match(self, sentence, positions) for positions in found]

    def count(self, sentence: Sentence) -> int:
        """Return the number of matches in a sentence."""
        return self._matcher.count(sentence, self.steps)

    def is_in(self, sentence: Sentence) -> bool:
        """Return whether the sentence has a match."""
        return bool(self._matcher.find(sentence, 1, self.steps))

    def find(self, sentences: Iterable[Sentence]) -> Iterator[Match]:
        """Yield the matches in all sentences."""
        for sentence in sentences:
            yield from self.matches(sentence)

    def __reduce__(self) -> tuple[Callable[[str], Pattern], tuple[str]]:
        return partial(Pattern, steps=self.steps), (self.text,)

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, Pattern) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"


@lru_cache(maxsize=64)
def compile_pattern(pattern: str | Pattern) -> Pattern:
    """Return a pattern, compiled if it is a text; compiled patterns are cached.

    >>> compile_pattern("upos=VERB") is compile_pattern("upos=VERB")
    True
    """
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern)


class _Program:
    """A pattern as flat lists for the matcher, with nodes in the order of the search."""

    def __init__(self, text: str, regexes: bool) -> None:
        self.text, self.regexes = text, regexes
        self.values: list[tuple[int, bytes]] = []
        self.predicates: list[Callable[[str], bool]] = []
        self.tests: list[tuple[int, bytes, int, int, bool]] = []
        self.nodes: list[tuple[int, int, int, int, int, int, int]] = []
        self.groups: list[tuple[int, int, list[int]]] = []
        self.name_places: dict[str, int] = {}
        self._add_group(WordRelation("", (), False, parse_pattern(text)), -1, self.name_places)

    def matcher(self) -> Matcher:
        return Matcher(self.values, self.predicates, self.tests, self.nodes, self.groups)

    def _add_group(self, relation: WordRelation, anchor: int, names: dict[str, int]) -> int:
        """Add a group of nodes that must all match, and the groups below it that must not."""
        number, first, absent = len(self.groups), len(self.nodes), list[int]()
        self.groups.append((first, first, absent))
        negated = self._add(relation, anchor, names)
        self.groups[number] = (first, len(self.nodes), absent)
        for position, relation in negated:
            # names are local to a negated group, which also sees the outer ones
            absent.append(self._add_group(relation, position, {**names}))
        return number

    def _add(
        self, relation: WordRelation, anchor: int, names: dict[str, int]
    ) -> list[tuple[int, WordRelation]]:
        """Add a node and its required relations; return the negated relations."""
        node, position, first = relation.target, len(self.nodes), len(self.tests)
        sign = SIGNS.index(relation.sign) if relation.sign else ANYWHERE
        same_as = names.setdefault(node.name, position) if node.name else position
        for test in node.conditions:
            column, values = COLUMNS.index(test.column), self._add_values(test.values)
            self.tests.append((column, test.name.encode(), *values, test.is_negated))
        tests = first, len(self.tests)
        self.nodes.append((*tests, sign, anchor, *self._add_values(relation.labels), same_as))
        negated = [(position, below) for below in node.relations if below.is_negated]
        for below in node.relations:
            if not below.is_negated:
                negated += self._add(below, position, names)
        return negated

    def _add_values(self, values: tuple[Value, ...]) -> tuple[int, int]:
        first = len(self.values)
        for value in values:
            if value.kind == "regex":
                self.predicates.append(self._predicate(value.text))
            self.values.append((VALUE_KINDS.index(value.kind), value.text.encode()))
        return first, len(self.values)

    def _predicate(self, regex: str) -> Callable[[str], bool]:
        if not self.regexes:
            raise PatternError(self.text, 0, "regular expressions are not allowed here")
        match = re.compile(regex).fullmatch
        return lambda text: match(text) is not None
