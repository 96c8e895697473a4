"""Patterns, ready to look for; and what they find."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from dodona.query.language import COLUMNS, SIGNS, Node, PatternError, Relation, Value, parse_pattern
from dodona.query.matcher import VALUE_KINDS, Matcher

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence
    from dodona.treebank.word import Word

ANYWHERE = len(SIGNS)  # of the first word
ALL = (1 << 63) - 1


class Match:
    """The words of a sentence that fit a pattern, in the order in which the pattern has them.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> (match,) = Pattern("deprel=root as verb >nsubj * as subject").matches(oaks)
    >>> match, match["subject"], match.words
    (<Match verb=speak subject=Oaks>, <Word 1 Oaks>, [<Word 2 speak>, <Word 1 Oaks>])
    """

    __slots__ = ("_places", "pattern", "sentence")

    def __init__(self, pattern: Pattern, sentence: Sentence, places: tuple[int, ...]) -> None:
        self.pattern = pattern
        self.sentence = sentence
        self._places = places

    @property
    def words(self) -> list[Word]:
        """The words, in the order of the pattern."""
        return [self.sentence[place] for place in self._places]

    @property
    def ids(self) -> list[int]:
        """Their numbers, from 1."""
        return [place + 1 for place in self._places]

    def __getitem__(self, key: str | int) -> Word:
        """The word of a name, or at a place in the pattern, from 0."""
        if isinstance(key, int):
            return self.sentence[self._places[key]]
        if key not in self.pattern.name_places:
            names = ", ".join(self.pattern.names) or "none (give some: upos=VERB as verb)"
            raise KeyError(f"no word is called {key!r} in the pattern; its names: {names}")
        return self.sentence[self._places[self.pattern.name_places[key]]]

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __repr__(self) -> str:
        named = {place: name for name, place in self.pattern.name_places.items()}
        words = [
            f"{named[i]}={word.form}" if i in named else word.form
            for i, word in enumerate(self.words)
        ]
        return f"<Match {' '.join(words)}>"


class Pattern:
    """A pattern of words and arcs; `dodona.query.language` has its grammar.

    Different words of a pattern are different words of the sentence, unless they have one name.
    `regexes=False` refuses /regular expressions/, which can take for ever: for patterns of
    strangers.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> Pattern("form=speak >nsubj form=/oaks?/i").count(oaks)
    1
    """

    def __init__(self, text: str, *, regexes: bool = True) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a pattern is a text such as 'upos=VERB >nsubj *', not {text!r}")
        self.text = text
        program = _Program(text, parse_pattern(text), regexes)
        self.name_places = program.name_places
        self.n_words = program.groups[0][1]
        self._matcher = program.matcher()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of words that matches can be asked for."""
        return tuple(self.name_places)

    def matches(self, sentence: Sentence, *, most: int = ALL) -> list[Match]:
        """All matches in a sentence, or the first `most`, in the order of their first words."""
        return [Match(self, sentence, places) for places in self._matcher.find(sentence, most)]

    def count(self, sentence: Sentence) -> int:
        """How many matches there are in a sentence."""
        return len(self._matcher.find(sentence, ALL))

    def is_in(self, sentence: Sentence) -> bool:
        """Whether there is a match in the sentence."""
        return bool(self._matcher.find(sentence, 1))

    def find(self, sentences: Iterable[Sentence]) -> Iterator[Match]:
        """The matches in all sentences, one after the other."""
        for sentence in sentences:
            yield from self.matches(sentence)

    def __reduce__(self) -> tuple[type[Pattern], tuple[str]]:
        return Pattern, (self.text,)

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, Pattern) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"


@lru_cache(maxsize=64)
def compile_pattern(pattern: str | Pattern) -> Pattern:
    """The pattern itself, or that of a text; a text that comes again is not read again.

    >>> compile_pattern("upos=VERB") is compile_pattern("upos=VERB")
    True
    """
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern)


class _Program:
    """A pattern as flat lists, which the matcher takes: nodes in the order they are placed in."""

    def __init__(self, text: str, root: Node, regexes: bool) -> None:
        self.text, self.regexes = text, regexes
        self.values: list[tuple[int, bytes]] = []
        self.predicates: list[Callable[[str], bool]] = []
        self.tests: list[tuple[int, bytes, int, int, bool]] = []
        self.nodes: list[tuple[int, int, int, int, int, int, int]] = []
        self.groups: list[tuple[int, int, list[int]]] = []
        self.name_places: dict[str, int] = {}
        self._add_group(root, ANYWHERE, -1, (), self.name_places)

    def matcher(self) -> Matcher:
        return Matcher(self.values, self.predicates, self.tests, self.nodes, self.groups)

    def _add_group(
        self, root: Node, sign: int, anchor: int, labels: tuple[Value, ...], names: dict[str, int]
    ) -> int:
        """Nodes that are all there, and below them groups of which none may be."""
        number, first, absent = len(self.groups), len(self.nodes), list[int]()
        self.groups.append((first, first, absent))
        waiting = self._add(root, sign, anchor, labels, names)
        self.groups[number] = (first, len(self.nodes), absent)
        for at, relation in waiting:
            is_not = SIGNS.index(relation.sign)
            # names within stay within, but those outside are known there
            absent.append(self._add_group(relation.target, is_not, at, relation.labels, {**names}))
        return number

    def _add(
        self, node: Node, sign: int, anchor: int, labels: tuple[Value, ...], names: dict[str, int]
    ) -> list[tuple[int, Relation]]:
        """Add a node and all that must be there; the relations of which nothing may be are left."""
        place = len(self.nodes)
        same_as = names.setdefault(node.name, place) if node.name else place
        tests = self._add_tests(node)
        self.nodes.append((*tests, sign, anchor, *self._add_values(labels), same_as))
        waiting = [(place, relation) for relation in node.relations if relation.is_negated]
        for relation in node.relations:
            if not relation.is_negated:
                of = SIGNS.index(relation.sign)
                waiting += self._add(relation.target, of, place, relation.labels, names)
        return waiting

    def _add_tests(self, node: Node) -> tuple[int, int]:
        first = len(self.tests)
        for condition in node.conditions:
            values = self._add_values(condition.values)
            column = COLUMNS.index(condition.column)
            name = condition.name.encode()
            self.tests.append((column, name, *values, condition.is_negated))
        return first, len(self.tests)

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
