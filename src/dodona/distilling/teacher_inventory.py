"""The words, characters, labels and tags of gold treebanks, encoded as integers for teachers.

All teachers of a student share one inventory, so that their probabilities can be averaged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dodona.core.tagging.tag_templates import LEMMA
from dodona.tagging.word_learning import find_tags
from dodona.tagging.word_types import WordTypes
from dodona.training.neural.gold_treebanks import GoldTreebanks, labels_of
from dodona.training.neural.sizes import BAG
from dodona.training.neural.tag_heads import NO_CLASS, TagHeads, learn_tags, learn_words
from dodona.training.treebanks import checksum
from dodona.treebank.sentence import Sentence

MAX_CHARACTERS = 20  # of a word; the others are ignored
NO_CHARACTER, OTHER_CHARACTER = 0, 1
MIN_COUNT = 2  # of a character with a number of its own

AnyArray = Any  # of NumPy
Vectors = tuple[list[bytes], AnyArray]  # words, and their rows after one for unknown words


@dataclass(frozen=True)
class EncodedSentences:
    """Sentences as the input of a teacher: table rows and characters of their words."""

    forms: list[list[str]]  # per sentence
    n_words: AnyArray  # per sentence
    first: AnyArray  # index of each sentence's first word, and the end
    types: AnyArray  # per word
    single: AnyArray  # per type
    characters: AnyArray  # per type


class TeacherInventory:
    """The inventory of a gold treebank, and of others that follow its annotation."""

    def __init__(self, gold: GoldTreebanks, vectors: Vectors | None) -> None:
        self.gold, self.vectors, self.sentences = gold, vectors, gold.sentences
        columns = [name for name in find_tags(gold.first) if name != LEMMA]
        self.tags: TagHeads = learn_tags(self.sentences, columns, len(gold.first))
        self.labels = sorted(labels_of(gold.first))
        self.known = learn_words(self.sentences, vectors[0] if vectors else None)
        counts = Counter(c for s in self.sentences for form in s.forms for c in form)
        often = sorted(character for character, n in counts.items() if n >= MIN_COUNT)
        self.character_numbers = {c: i for i, c in enumerate(often, OTHER_CHARACTER + 1)}

    @cached_property
    def given(self) -> AnyArray:
        """Return the pretrained vectors."""
        return np.zeros((1, 0), np.float32) if self.vectors is None else self.vectors[1]

    @cached_property
    def table_sizes(self) -> tuple[int, ...]:
        """Return the sizes of the embedding tables; characters replace those of n-grams."""
        return (*self._types.table_sizes[:BAG],)

    @property
    def n_characters(self) -> int:
        """Return the number of characters, with padding and unknown."""
        return len(self.character_numbers) + 2

    @cached_property
    def _types(self) -> WordTypes:
        return self.known.types()

    def checksums(self) -> dict[str, str]:
        """Return digests of the treebanks and vectors."""
        found = {"train": checksum(map(bytes, self.sentences))}
        if self.vectors is not None:
            found["vectors"] = checksum([b"\n".join(self.vectors[0]), self.given.tobytes()])
        return found

    def encode(self, sentences: Sequence[Sentence]) -> EncodedSentences:
        """Encode sentences as integers; word types are numbered anew at each call."""
        from dodona.training.neural.batching import WordTable

        self._types.clear()
        words = WordTable.of(sentences, self._types, BAG)
        forms = dict.fromkeys(form for sentence in sentences for form in sentence.forms)
        characters: AnyArray = np.zeros((len(words.single), MAX_CHARACTERS), np.int32)
        numbers = self._types.numbers([Sentence.from_columns(list(forms))]) if forms else b""
        for form, number in zip(forms, np.frombuffer(numbers, np.int32).tolist(), strict=True):
            found = [self.character_numbers.get(c, OTHER_CHARACTER) for c in form[:MAX_CHARACTERS]]
            characters[number, : len(found)] = found
        of_sentences = [sentence.forms for sentence in sentences]
        return EncodedSentences(
            of_sentences, words.n_words, words.first, words.types, words.single, characters
        )

    def gold_classes(self) -> dict[str, AnyArray]:
        """Return heads (0: the root), labels and tags of all words; negative if unknown."""
        label = {name: i for i, name in enumerate(self.labels)}
        heads, labels = [], []
        for sentence in self.sentences:
            heads += [NO_CLASS if head is None else head for head in sentence.heads]
            labels += [label.get(name, NO_CLASS) for name in sentence.deprels]
        tags = self.tags.gold
        return {
            "heads": np.array(heads, np.int32),
            "labels": np.array(labels, np.int32),
            "tags": np.stack(tags) if tags else np.zeros((0, len(heads)), np.int32),
        }


@dataclass(frozen=True)
class PaddedBatch:
    """Sentences of about one length, and arrays with a padded row for each."""

    sentences: Sequence[int]
    forms: list[list[str]]
    lengths: AnyArray  # words in each row
    words: AnyArray  # their indices among the words of all sentences
    positions: tuple[AnyArray, AnyArray]  # row and column of each word
    arrays: dict[str, AnyArray]

    def padded(self, values: AnyArray, padding: int) -> AnyArray:
        """Return the values of these words, picked from those of all sentences, as padded rows."""
        shape = self.arrays["characters"].shape[:2]
        found = np.full((*values.shape[:-1], *shape), padding, values.dtype)
        found[(..., *self.positions)] = values[..., self.words]
        return found


def padded_batches(
    encoded: EncodedSentences, order: Sequence[int], size: int, seed: int | None = None
) -> Iterator[PaddedBatch]:
    """Yield batches of up to `size` words, with padding, of all sentences in `order`.

    Sentences of about one length are together; with a seed, which ones, and in which order batches
    come, is random.
    """
    random = None if seed is None else np.random.default_rng(seed)
    chosen = np.asarray(order, np.int64)
    if random is not None:
        chosen = random.permutation(chosen)
    chosen = chosen[np.argsort(encoded.n_words[chosen], kind="stable")]
    batches: list[list[int]] = []
    for i in chosen.tolist():
        longest = int(encoded.n_words[i])  # so far, since lengths ascend
        if not batches or (len(batches[-1]) + 1) * longest > size:
            batches.append([])
        batches[-1].append(i)
    if random is not None:
        random.shuffle(batches)
    for some in batches:
        yield pad_sentences(encoded, some)


def pad_sentences(encoded: EncodedSentences, sentences: Sequence[int]) -> PaddedBatch:
    """Pad sentences to the length of the longest."""
    which = np.asarray(sentences, np.int64)
    lengths = encoded.n_words[which].astype(np.int64)
    row: AnyArray = np.repeat(np.arange(len(which)), lengths)
    column = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    words = encoded.first[which][row] + column
    types = encoded.types[words]
    arrays = {"lengths": lengths}
    for name, values in (("single", encoded.single), ("characters", encoded.characters)):
        filled = np.zeros((len(which), int(lengths.max()), values.shape[1]), np.int64)
        filled[row, column] = values[types]
        arrays[name] = filled
    forms = [encoded.forms[i] for i in sentences]
    return PaddedBatch(sentences, forms, lengths, words, (row, column), arrays)
