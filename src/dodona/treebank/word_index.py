"""Words of several sentences by position, and their offsets in the text, found on demand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

from dodona.treebank.sentence import Sentence
from dodona.treebank.token_ranges import word_offsets
from dodona.treebank.tokens import tokens
from dodona.treebank.word import Word

Alignment = Literal["strict", "contract", "expand"]


class Offsets(NamedTuple):
    """The start and the end of each word in a text; neither list ever decreases."""

    starts: list[int]
    ends: list[int]


class WordIndex:
    """The words of sentences, numbered from 0, and where each of them is in their text.

    `text` is what the sentences were made from; without it, their own texts are joined. Offsets are
    those that the sentences record (TokenRange), if they run in one direction and fit the text;
    otherwise the tokens are looked up in the text. Parts of a document thus keep its offsets.
    """

    def __init__(self, sentences: Sequence[Sentence], text: str | None = None) -> None:
        self.sentences = tuple(sentences)
        self.given_text = text
        self.firsts = [*accumulate(map(len, self.sentences), initial=0)]

    def __len__(self) -> int:
        return self.firsts[-1]

    def __reduce__(self) -> tuple[type[WordIndex], tuple[tuple[Sentence, ...], str | None]]:
        return WordIndex, (self.sentences, self.given_text)

    def word(self, position: int) -> Word:
        """Return the word at a position of the document."""
        number = bisect_right(self.firsts, position) - 1
        return self.sentences[number][position - self.firsts[number]]

    def words(self, first: int, end: int) -> list[Word]:
        """Return the words from position `first` up to `end`."""
        found: list[Word] = []
        if first >= end:
            return found
        for number in range(bisect_right(self.firsts, first) - 1, bisect_left(self.firsts, end)):
            start, sentence = self.firsts[number], self.sentences[number]
            is_whole = first <= start and self.firsts[number + 1] <= end
            found += sentence if is_whole else sentence[max(first - start, 0) : end - start]
        return found

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(sentence): number for number, sentence in enumerate(self.sentences)}

    def position(self, word: Word) -> int:
        """Return the position of a word, which must belong to one of the sentences."""
        number = self._numbers.get(id(word.sentence))
        if number is None:  # perhaps a copy, as from a pickle
            if word.sentence not in self.sentences:
                raise ValueError(f"{word!r} is not a word of this document")
            number = self.sentences.index(word.sentence)
        return self.firsts[number] + word.id - 1

    @cached_property
    def text(self) -> str:
        """The text: as it was given, or that of the sentences."""
        return joined_text(self.sentences) if self.given_text is None else self.given_text

    @cached_property
    def offsets(self) -> Offsets:
        """The offsets of the words, as the sentences record them or as they are in the text."""
        return self._recorded or self.places

    @cached_property
    def places(self) -> Offsets:
        """The offsets of the words in `text`; parts of a document have other ones on record."""
        if self._recorded and self.given_text is not None:
            return self._recorded
        return _looked_up(self.sentences, self.text)

    @cached_property
    def _recorded(self) -> Offsets | None:
        starts, ends = list[int](), list[int]()
        for sentence in self.sentences:
            for start, end in zip(*word_offsets(sentence), strict=True):
                if start is None or end is None or start > end:
                    return None
                starts.append(start)
                ends.append(end)
        is_sorted = all(a <= b for column in (starts, ends) for a, b in pairwise(column))
        fits = self.given_text is None or not ends or ends[-1] <= len(self.given_text)
        return Offsets(starts, ends) if is_sorted and fits else None

    def between(self, start: int, end: int, alignment: Alignment) -> tuple[int, int] | None:
        """Return the positions of the words in a range of characters; None if there are none."""
        if alignment not in ("strict", "contract", "expand"):
            raise ValueError(f"alignment is 'strict', 'contract' or 'expand', not {alignment!r}")
        starts, ends = self.offsets
        if alignment == "expand":
            first, after = bisect_right(ends, start), bisect_left(starts, end)
        else:
            first, after = bisect_left(starts, start), bisect_right(ends, end)
        if first >= after:
            return None
        if alignment == "strict" and (starts[first] != start or ends[after - 1] != end):
            return None
        return first, after


def joined_text(sentences: Sequence[Sentence]) -> str:
    """Return the texts of sentences, with a space where the last word of one has a space after it.

    >>> joined_text([Sentence.from_columns(["Oaks"]), Sentence.from_columns(["speak"])])
    'Oaks speak'
    """
    parts = [s.text + " " * s[-1].space_after for s in sentences]
    return "".join(parts).removesuffix(" ")


def _looked_up(sentences: Sequence[Sentence], text: str) -> Offsets:
    """Find each token in the text, after the one before it."""
    starts, ends = list[int](), list[int]()
    at = 0
    for sentence in sentences:
        forms = sentence.forms
        for token in tokens(sentence):
            start = text.find(token.form, at)
            if start < 0:
                raise ValueError(
                    f"{sentence.source}:{sentence.line}: the token {token.form!r} is not in the "
                    "text of the document, so its words have no offsets there"
                )
            at = start + len(token.form)
            parts = _parts(token.form, forms[token.first - 1 : token.last], start)
            starts += [part[0] for part in parts]
            ends += [part[1] for part in parts]
    return Offsets(starts, ends)


def _parts(form: str, words: Sequence[str], start: int) -> list[tuple[int, int]]:
    """Return the offsets of the words of a token: their own if they are the token, cut."""
    if "".join(words).lower() != form.lower() or sum(map(len, words)) != len(form):
        return [(start, start + len(form))] * len(words)
    return [*pairwise(accumulate(map(len, words), initial=start))]
