"""Compiled patterns: trees, and sequences of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from dodona.query.language import parse_pattern
from dodona.query.match import Match
from dodona.query.sequence_program import N_OUTER, SequenceProgram
from dodona.query.sequences import is_sequence
from dodona.query.tree_program import TreeProgram

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence

ALL = (1 << 63) - 1
MOST_STEPS = 10_000_000  # words tried in a sentence: half a second
BATCH = 256  # sentences


class Pattern:
    """A pattern of words and arcs, or of a sequence of words.

    `dodona.query.language` has the grammar of trees, `dodona.query.sequences` that of sequences,
    which begin with [, ( or ^. Different words of a tree match different words of the sentence,
    unless they share a name. `regexes=False` refuses /regular expressions/, whose time is
    unbounded, in untrusted patterns. A search that tries more than `steps` words in one sentence
    raises `StepLimitError`.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(
    ...     ["Oaks", "speak"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> Pattern("form=speak >nsubj form=/oaks?/i").count(oaks)
    1
    >>> Pattern("[upos=NOUN]+ as subject [upos=VERB]").matches(oaks)
    [<Match subject=Oaks speak>]
    """

    def __init__(self, text: str, *, regexes: bool = True, steps: int = MOST_STEPS) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a pattern is a text such as 'upos=VERB >nsubj *', not {text!r}")
        if not 1 <= steps <= ALL:
            raise ValueError(f"steps must be from 1 to {ALL}, not {steps}")
        self.text, self.steps = text, steps
        self.is_sequence = is_sequence(text)
        self._search: _Search = (_Sequence if self.is_sequence else _Tree)(text, regexes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the words of the pattern."""
        return self._search.names

    @property
    def name_places(self) -> dict[str, int]:
        """Place of each name among the words of a match; none for a sequence."""
        return dict(self._search.name_places)

    @property
    def n_words(self) -> int:
        """Number of words of a match; 0 for a sequence, whose matches differ in length."""
        return self._search.n_words

    def matches(self, sentence: Sentence, *, most: int = ALL) -> list[Match]:
        """Return the matches in a sentence, at most `most`, in the order of their first words."""
        return self.matches_in([sentence], most=most)[0]

    def matches_in(self, sentences: list[Sentence], *, most: int = ALL) -> list[list[Match]]:
        """Return the matches in each sentence; threads that call it search side by side."""
        return self._search.matches(sentences, most, self.steps)

    def count(self, sentence: Sentence) -> int:
        """Return the number of matches in a sentence."""
        return self.count_in([sentence])

    def count_in(self, sentences: list[Sentence]) -> int:
        """Return the number of matches in all sentences."""
        return self._search.count(sentences, self.steps)

    def is_in(self, sentence: Sentence) -> bool:
        """Return whether the sentence has a match."""
        return bool(self.matches(sentence, most=1))

    def find(self, sentences: Iterable[Sentence]) -> Iterator[Match]:
        """Yield the matches in all sentences."""
        rest = iter(sentences)
        size = 1  # small at first: who stops after the first match waits for one sentence
        while batch := list(islice(rest, size)):
            for found in self.matches_in(batch):
                yield from found
            size = min(2 * size, BATCH)

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


class _Search(Protocol):
    """The search for a tree or a sequence."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def name_places(self) -> dict[str, int]: ...
    @property
    def n_words(self) -> int: ...
    def matches(
        self, sentences: list[Sentence], most: int, most_steps: int
    ) -> list[list[Match]]: ...
    def count(self, sentences: list[Sentence], most_steps: int) -> int: ...


class _Tree:
    """The search for a tree."""

    def __init__(self, text: str, regexes: bool) -> None:
        program = TreeProgram(text, parse_pattern(text), regexes)
        self.name_places = program.name_places
        self.named = {name: range(at, at + 1) for name, at in program.name_places.items()}
        self.names, self.n_words = tuple(self.named), program.groups[0][1]
        self.matcher = program.matcher()

    def matches(self, sentences: list[Sentence], most: int, most_steps: int) -> list[list[Match]]:
        found = self.matcher.find(sentences, most, most_steps)
        return [
            [Match(sentence, positions, self.named) for positions in rows]
            for sentence, rows in zip(sentences, found, strict=True)
        ]

    def count(self, sentences: list[Sentence], most_steps: int) -> int:
        return self.matcher.count(sentences, most_steps)


class _Sequence:
    """The search for a sequence of words."""

    def __init__(self, text: str, regexes: bool) -> None:
        program = SequenceProgram(text, regexes)
        self.names, self.n_words = tuple(program.slots), 0
        self.name_places: dict[str, int] = {}
        self.brackets, self.matcher = program.brackets, program.matcher()

    def matches(self, sentences: list[Sentence], most: int, most_steps: int) -> list[list[Match]]:
        marks = [bracket.mark(sentences, most_steps) for bracket in self.brackets]
        found = self.matcher.find(sentences, marks, most, most_steps)
        return [
            [self._match(sentence, slots) for slots in rows]
            for sentence, rows in zip(sentences, found, strict=True)
        ]

    def count(self, sentences: list[Sentence], most_steps: int) -> int:
        marks = [bracket.mark(sentences, most_steps) for bracket in self.brackets]
        return self.matcher.count(sentences, marks, most_steps)

    def _match(self, sentence: Sentence, slots: tuple[int, ...]) -> Match:
        first, end = slots[:N_OUTER]
        inner = [max(slot - first, 0) for slot in slots[N_OUTER:]]  # -1: a group without a match
        named = zip(self.names, map(range, inner[::2], inner[1::2]), strict=True)
        return Match(sentence, tuple(range(first, end)), dict(named))
