"""Batches of sentences as arrays of few sizes, since JAX compiles anew for each size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dodona.core.learning.rollouts import N_SPECIAL_ROWS
from dodona.tagging.word_types import WordTypes
from dodona.training.neural.network import Numbers
from dodona.treebank.sentence import Sentence


@dataclass(frozen=True)
class WordTable:
    """The words of a treebank: their types, and the rows of each type in the fields' tables."""

    n_words: Numbers  # per sentence
    first: Numbers  # per sentence: its first word; and the end
    types: Numbers  # per word
    single: Numbers  # per type and field except the bag
    bag_first: Numbers  # per type: where its rows in the bag begin; and the end
    bag: Numbers

    @classmethod
    def of(cls, sentences: Sequence[Sentence], types: WordTypes, bag: int) -> WordTable:
        """Return the words of sentences; `bag` is the field that has any number of rows."""
        n_words = np.array([len(sentence) for sentence in sentences], np.int64)
        return cls.from_types(
            n_words, np.frombuffer(types.numbers(sentences), np.int32), types, bag
        )

    @classmethod
    def from_types(
        cls, n_words: Numbers, numbers: Numbers, types: WordTypes, bag: int
    ) -> WordTable:
        """Return words of these types, in sentences of `n_words` words each."""
        first, rows = (np.frombuffer(data, np.int32) for data in types.field_rows())
        starts = first[:-1].reshape(len(types), len(types.fields))
        counts = np.diff(first).reshape(starts.shape)[:, bag]
        single = rows[np.delete(starts, bag, axis=1)]
        in_bag = rows[_ranges(starts[:, bag], counts)]
        return cls(n_words, _ends(n_words), numbers, single, _ends(counts), in_bag)

    def words_of(self, sentences: Sequence[int]) -> Numbers:
        """Return the indices of the words of some sentences."""
        which = np.asarray(sentences, np.int64)
        return _ranges(self.first[which], self.n_words[which])

    def count(self, sentences: Sequence[int]) -> tuple[int, int, int]:
        """Count the words of some sentences, their types, and the rows of the types in the bag."""
        chosen = self.words_of(sentences)
        types = np.unique(self.types[chosen])
        counts = self.bag_first[types + 1] - self.bag_first[types]
        return len(chosen), len(types), int(counts.sum())


def _ends(counts: Numbers) -> Numbers:
    """Return the cumulative sums of counts, with a 0 in front."""
    return np.concatenate([[0], np.cumsum(counts)])


def _ranges(starts: Numbers, counts: Numbers) -> Numbers:
    """Return the concatenated ranges of `counts` numbers from each start on."""
    ends = np.cumsum(counts, dtype=np.int64)
    return np.repeat(starts - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


@dataclass(frozen=True)
class Batch:
    """Some sentences as padded arrays; `word_share` is 0 for padding."""

    sentences: Sequence[int]
    words: Numbers  # indices in the treebank
    first_rows: Numbers  # per sentence: the row of its first word
    arrays: dict[str, Numbers]


@dataclass
class BatchCapacity:
    """The padded sizes of batches: words, types, and rows of the bag; it grows on demand."""

    words: int
    types: int = 0
    bag: int = 0

    def __post_init__(self) -> None:
        self.words = _rounded(self.words)

    def grow(self, words: int, types: int, bag: int) -> None:
        """Reserve these sizes and 15% more, so that it seldom grows again: JAX compiles anew for
        every new size."""
        self.words = max(self.words, _rounded(words))
        self.types = self.types if types <= self.types else _rounded(_and_some(types))
        self.bag = self.bag if bag <= self.bag else _rounded(_and_some(bag))


def _rounded(n: int) -> int:
    return -(-n // 64) * 64


def _and_some(n: int) -> int:
    return int(n * 1.15) + 64


def in_batches(words: WordTable, order: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield batches of sentences, in this order, with about `size` words each."""
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


def make_batch(words: WordTable, sentences: Sequence[int], capacity: BatchCapacity) -> Batch:
    """Return the arrays of some sentences."""
    chosen = words.words_of(sentences)
    types, index = np.unique(words.types[chosen], return_inverse=True)
    counts = words.bag_first[types + 1] - words.bag_first[types]
    capacity.grow(len(chosen), len(types), int(counts.sum()))
    n_words = words.n_words[np.asarray(sentences, np.int64)]
    borders = _ends(n_words[n_words > 0])
    bag = words.bag[_ranges(words.bag_first[types], counts)]
    bag_type: Numbers = np.repeat(np.arange(len(types), dtype=np.int32), counts)
    arrays = {
        "type": _filled(index.astype(np.int32), capacity.words),
        "is_first": _marked(borders[:-1], len(chosen), capacity.words),
        "is_last": _marked(borders[1:] - 1, len(chosen), capacity.words),
        "word_share": _filled(np.ones(len(chosen), np.float32), capacity.words),
        "single": _filled(words.single[types], capacity.types),
        "bag": _filled(bag, capacity.bag),
        "bag_type": _filled(bag_type, capacity.bag, capacity.types),  # padding is of no type
        "bag_share": _filled((1 / np.maximum(counts, 1)).astype(np.float32), capacity.types),
    }
    return Batch(sentences, chosen, _ends(n_words)[:-1] + N_SPECIAL_ROWS, arrays)


def _marked(positions: Numbers, n: int, size: int) -> Numbers:
    """Return whether a word is at one of the positions, or padding: a sentence by itself."""
    found = np.arange(size) >= n
    found[positions] = True
    return found


def _filled(values: Numbers, size: int, other: int = 0) -> Numbers:
    """Return the values, padded to a size."""
    found = np.full((size, *values.shape[1:]), other, values.dtype)
    found[: len(values)] = values
    return found
