"""Sentences of a treebank in batches of about the same size, as arrays of few shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dodona.core.parsing.walking import N_SPECIAL_ROWS
from dodona.tagging.word_types import WordTypes
from dodona.treebank.sentence import Sentence

Numbers = Any  # an array of NumPy


@dataclass(frozen=True)
class Words:
    """The words of a treebank: their types, and the rows of the types in each field's table."""

    n_words: Numbers  # per sentence
    first: Numbers  # per sentence: its first word
    types: Numbers  # per word
    single: Numbers  # per type and field but the bag
    bag_first: Numbers  # per type, and the end: where its rows in the bag begin
    bag: Numbers

    @classmethod
    def of(cls, sentences: Sequence[Sentence], types: WordTypes, bag: int) -> Words:
        """The words of these sentences."""
        n_words = np.array([len(sentence) for sentence in sentences], np.int64)
        numbers = np.frombuffer(types.numbers(sentences), np.int32)
        first, rows = (np.frombuffer(data, np.int32) for data in types.spelled())
        n_fields = len(types.fields)
        starts = first[:-1].reshape(len(types), n_fields)
        counts = np.diff(first).reshape(len(types), n_fields)
        single = rows[np.delete(starts, bag, axis=1)]
        bag_first = np.concatenate([[0], np.cumsum(counts[:, bag])])
        which = np.concatenate(
            [np.arange(s, s + n) for s, n in zip(starts[:, bag], counts[:, bag], strict=True)]
            or [np.zeros(0, np.int64)]
        ).astype(np.int64)
        return cls(
            n_words,
            np.concatenate([[0], np.cumsum(n_words)]),
            numbers,
            single,
            bag_first,
            rows[which],
        )

    def words_of(self, sentences: Sequence[int]) -> Numbers:
        """The numbers of the words of some sentences, one sentence after the other."""
        return np.concatenate([np.arange(self.first[i], self.first[i + 1]) for i in sentences])


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

    def grow(self, words: int, types: int, bag: int) -> None:
        """Make room for so many, and some more, so that this is seldom needed again."""
        self.words = max(self.words, _rounded(words))
        if types > self.types:
            self.types = _rounded(int(types * 1.15))
        if bag > self.bag:
            self.bag = _rounded(int(bag * 1.15))


def _rounded(n: int) -> int:
    return -(-n // 256) * 256


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
    n_bag = int(counts.sum())
    room.grow(len(chosen), len(types), n_bag)
    lengths = words.n_words[list(sentences)]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    is_first: Numbers = np.ones(room.words, bool)
    is_last: Numbers = np.ones(room.words, bool)
    is_first[: len(chosen)] = is_last[: len(chosen)] = False
    is_first[starts[lengths > 0]] = True
    is_last[(starts + lengths - 1)[lengths > 0]] = True
    at = np.repeat(words.bag_first[types] - np.cumsum(counts) + counts, counts) + np.arange(n_bag)
    arrays = {
        "type": _filled(place.astype(np.int32), room.words),
        "is_first": is_first,
        "is_last": is_last,
        "single": _filled(words.single[types], room.types),
        "bag": _filled(words.bag[at], room.bag),
        "bag_type": _filled(
            np.repeat(np.arange(len(types), dtype=np.int32), counts), room.bag, room.types
        ),  # of no type: left out
        "bag_share": _filled((1 / np.maximum(counts, 1)).astype(np.float32), room.types),
        "word_share": _filled(np.ones(len(chosen), np.float32), room.words),
    }
    return Batch(sentences, chosen, starts + N_SPECIAL_ROWS, arrays)


def _filled(values: Numbers, size: int, other: int = 0) -> Numbers:
    """The values, and others up to a size."""
    found = np.full((size, *values.shape[1:]), other, values.dtype)
    found[: len(values)] = values
    return found
