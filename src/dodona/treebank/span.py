"""Spans: consecutive words of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index as to_index
from typing import Any, overload

from dodona.treebank.sentence import Sentence
from dodona.treebank.word import Word
from dodona.treebank.word_index import WordIndex

SHOWN = 40  # characters of the text in the representation of a span


class Span(Sequence[Word]):
    """Consecutive words of a document, perhaps of several sentences, with a label if it has one.

    Made by `Doc.span`, `Doc.char_span` and `Sentence.span`, by slices of `Doc.words`, and by slices
    of spans. `start` and `end` count characters, `word_start` and `word_end` words.

    >>> oaks = Sentence.from_columns(
    ...     ["Old", "oaks", "speak"], heads=[2, 3, 0], deprels=["amod", "nsubj", "root"])
    >>> span = Span(WordIndex([oaks]), 0, 2, "subject")
    >>> span, span.text, span.label, span.root, span.start, span.end
    (<Span subject 'Old oaks'>, 'Old oaks', 'subject', <Word 2 oaks>, 0, 8)
    """

    __slots__ = ("_end", "_first", "_index", "_label")

    def __init__(self, index: WordIndex, word_start: int, word_end: int, label: str = "") -> None:
        if not 0 <= word_start <= word_end <= len(index):
            raise IndexError(
                f"no words from {word_start} to {word_end}: there are {len(index)} words, and a "
                "span does not end before it starts"
            )
        self._index, self._first, self._end = index, word_start, word_end
        self._label = label

    def __len__(self) -> int:
        return self._end - self._first

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    @overload
    def __getitem__(self, index: int) -> Word: ...
    @overload
    def __getitem__(self, index: slice) -> Span: ...
    def __getitem__(self, index: int | slice) -> Word | Span:
        if isinstance(index, slice):
            first, end, step = index.indices(len(self))
            if step != 1:
                raise ValueError("a span has no gaps; for every other word, slice list(span)")
            return Span(self._index, self._first + first, self._first + max(first, end))
        position = to_index(index)
        position += len(self) if position < 0 else 0
        if not 0 <= position < len(self):
            raise IndexError(f"no word at {index}, the span has {len(self)} words")
        return self._index.word(self._first + position)

    def __eq__(self, other: object) -> bool:
        """Return whether words and labels are the same."""
        if not isinstance(other, Span):
            return NotImplemented
        return (self._label, self.words) == (other._label, other.words)

    def __hash__(self) -> int:
        return hash((self._label, *self.words))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        shown = self.text if len(self.text) <= SHOWN else f"{self.text[:SHOWN]}…"
        return f"<Span {self._label} {shown!r}>" if self._label else f"<Span {shown!r}>"

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError; for names of other libraries, suggest the name used here."""
        from dodona.treebank.elsewhere import SPAN, explain

        raise AttributeError(explain("span", name, SPAN))

    @property
    def words(self) -> list[Word]:
        """Return the words as a list."""
        return self._index.words(self._first, self._end)

    @property
    def label(self) -> str:
        """Return what was given as a label, else ""."""
        return self._label

    @property
    def word_start(self) -> int:
        """Return the position of the first word in the document, from 0."""
        return self._first

    @property
    def word_end(self) -> int:
        """Return the position after the last word in the document, from 0."""
        return self._end

    @property
    def start(self) -> int:
        """Return the start of the first word in the text, in characters."""
        starts, ends = self._index.offsets
        if self._first < len(starts):
            return starts[self._first]
        return ends[-1] if ends else 0

    @property
    def end(self) -> int:
        """Return the end of the last word in the text, in characters."""
        return self._index.offsets.ends[self._end - 1] if len(self) else self.start

    @property
    def text(self) -> str:
        """Return the text from the first word to the last, with all white space in between."""
        if not len(self):
            return ""
        starts, ends = self._index.places
        return self._index.text[starts[self._first] : ends[self._end - 1]]

    @property
    def sentences(self) -> list[Sentence]:
        """Return the sentences that the span has words of."""
        found: list[Sentence] = []
        for word in self.words:
            if not found or found[-1] is not word.sentence:
                found.append(word.sentence)
        return found

    @property
    def sentence(self) -> Sentence:
        """Return the sentence of the first word."""
        return self[0].sentence

    @property
    def roots(self) -> list[Word]:
        """Return the words whose heads are outside the span, or that have none."""
        inside: dict[int, set[int]] = {}
        words = self.words
        for word in words:
            inside.setdefault(id(word.sentence), set()).add(word.id)
        return [word for word in words if word.head not in inside[id(word.sentence)]]

    @property
    def root(self) -> Word | None:
        """Return the word closest to the root of its tree, the first of several; None without any.

        Punctuation is the root only of a span that has nothing else.
        """
        roots = [word for word in self.roots if word.deprel != "punct"] or self.roots
        return min(roots, key=lambda word: len(word.ancestors), default=None)
