"""Sentences of a treebank in batches of about one size, as arrays that JAX compiles for once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dodona.core.learning.rollouts import N_SPECIAL_ROWS
from dodona.tagging.word_types import WordTypes
from dodona.treebank.sentence import Sentence

Numbers = Any  # an array of NumPy


@dataclass(frozen=True)
class Words:
    """The words of a treebank: their types, and the rows of the types in each field's table."""

    n_words: Numbers  # per sentence
    first: Numbers  # per sentence, and the end: its first word
    types: Numbers  # per word
    single: Numbers  # per type and field but the bag
    bag_first: Numbers  # per type, and the end: where its rows in the bag begin
    bag: Numbers

    @classmethod
    def of(cls, sentences: Sequence[Sentence], types: WordTypes, bag: int) -> Words:
        """The words of these sentences; `bag` is the field with any number of rows."""
        n_words = np.array([len(sentence) for sentence in sentences], np.int64)
        return cls.spelled(n_words, np.frombuffer(types.numbers(sentences), np.int32), types, bag)

    @classmethod
    def spelled(cls, n_words: Numbers, numbers: Numbers, types: WordTypes, bag: int) -> Words:
        """Words whose types have these numbers, in sentences of so many words."""
        first, rows = (np.frombuffer(data, np.int32) for data in types.field_rows())
        starts = first[:-1].reshape(len(types), len(types.fields))
        counts = np.diff(first).reshape(starts.shape)[:, bag]
        single = rows[np.delete(starts, bag, axis=1)]
        in_bag = rows[_ranges(starts[:, bag], counts)]
        return cls(n_words, _ends(n_words), numbers, single, _ends(counts), in_bag)

    def words_of(self, sentences: Sequence[int]) -> Numbers:
        """The numbers of the words of some sentences, one sentence after the other."""
        which = np.asarray(sentences, np.int64)
        return _ranges(self.first[which], self.n_words[which])

    def count(self, sentences: Sequence[int]) -> tuple[int, int, int]:
        """The words of some sentences, their types, and the rows of these in the bag."""
        chosen = self.words_of(sentences)
        types = np.unique(self.types[chosen])
        counts = self.bag_first[types + 1] - self.bag_first[types]
        return len(chosen), len(types), int(counts.sum())


def _ends(counts: Numbers) -> Numbers:
    """Where as many begin, one after the other, and where the last ends."""
    return np.concatenate([[0], np.cumsum(counts)])


def _ranges(starts: Numbers, counts: Numbers) -> Numbers:
    """The numbers from each start on, as many as it counts."""
    ends = np.cumsum(counts, dtype=np.int64)
    return np.repeat(starts - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


@dataclass(frozen=True)
class Batch:
    """Some sentences. Arrays are longer than what they hold: `word_share` is 0 behind the words."""

    sentences: Sequence[int]
    words: Numbers  # their numbers in the treebank
    first_rows: Numbers  # per sentence: the row of its first word
    arrays: dict[str, Numbers]


@dataclass
class Room:
    """How many words, types and rows of bags a batch has room for; it grows with what comes."""

    words: int
    types: int = 0
    bag: int = 0

    def __post_init__(self) -> None:
        self.words = _rounded(self.words)

    def grow(self, words: int, types: int, bag: int) -> None:
        """Make room for so many, and some more, so that this is seldom needed again: for every new
        size, JAX compiles anew."""
        self.words = max(self.words, _rounded(words))
        self.types = self.types if types <= self.types else _rounded(_and_some(types))
        self.bag = self.bag if bag <= self.bag else _rounded(_and_some(bag))


def _rounded(n: int) -> int:
    return -(-n // 64) * 64


def _and_some(n: int) -> int:
    return int(n * 1.15) + 64


def in_batches(words: Words, order: Sequence[int], size: int) -> Iterator[list[int]]:
    """Sentences in this order, as many together as have about `size` words."""
    some: list[int] = []
    n = 0
    for i in order:
        if some and n + words.n_words[i] > size:
            yield some
            some, n = [], 0
        some.append(i)
        n += words.n_words[i]
    if some:
        yield some


def make_batch(words: Words, sentences: Sequence[int], room: Room) -> Batch:
    """The arrays of some sentences."""
    chosen = words.words_of(sentences)
    types, place = np.unique(words.types[chosen], return_inverse=True)
    counts = words.bag_first[types + 1] - words.bag_first[types]
    room.grow(len(chosen), len(types), int(counts.sum()))
    n_words = words.n_words[np.asarray(sentences, np.int64)]
    borders = _ends(n_words[n_words > 0])
    arrays = {
        "type": _filled(place.astype(np.int32), room.words),
        "is_first": _marked(borders[:-1], len(chosen), room.words),
        "is_last": _marked(borders[1:] - 1, len(chosen), room.words),
        "word_share": _filled(np.ones(len(chosen), np.float32), room.words),
    }
    first_rows = _ends(n_words)[:-1] + N_SPECIAL_ROWS
    return Batch(sentences, chosen, first_rows, arrays | _of_types(words, types, counts, room))


def _of_types(words: Words, types: Numbers, counts: Numbers, room: Room) -> dict[str, Numbers]:
    """The rows of the types in a batch; filled up with rows in the bag of no type."""
    bag = words.bag[_ranges(words.bag_first[types], counts)]
    bag_type: Numbers = np.repeat(np.arange(len(types), dtype=np.int32), counts)
    return {
        "single": _filled(words.single[types], room.types),
        "bag": _filled(bag, room.bag),
        "bag_type": _filled(bag_type, room.bag, room.types),
        "bag_share": _filled((1 / np.maximum(counts, 1)).astype(np.float32), room.types),
    }


def _marked(places: Numbers, n: int, size: int) -> Numbers:
    """Whether a word stands in one of the places, or behind all n: each of these is alone."""
    found = np.arange(size) >= n
    found[places] = True
    return found


def _filled(values: Numbers, size: int, other: int = 0) -> Numbers:
    """The values, and others up to a size."""
    found = np.full((size, *values.shape[1:]), other, values.dtype)
    found[: len(values)] = values
    return found
