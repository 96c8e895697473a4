"""What is taught: the words, characters, labels and tags of the gold treebanks, as numbers.

All teachers of a student have the same subject, so that what they say can be added up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dodona.core.tagging.tag_templates import LEMMA
from dodona.tagging.word_types import WordTypes
from dodona.training.neural.gold_treebanks import GoldTreebanks, labels_of
from dodona.training.neural.sizes import BAG
from dodona.training.neural.tag_heads import NO_CLASS, TagHeads, find_tags, learn_tags, learn_words
from dodona.training.treebanks import checksum
from dodona.treebank.sentence import Sentence

MOST_CHARACTERS = 20  # of a word: the first ones
NO_CHARACTER, OTHER_CHARACTER = 0, 1
LEAST = 2  # how often a character occurs that is told apart

Numbers = Any  # an array of NumPy
Vectors = tuple[list[bytes], Numbers]  # words, and a row for each after one for all others


@dataclass(frozen=True)
class Spelled:
    """Sentences as a teacher sees them: per word its rows, and its characters."""

    n_words: Numbers  # per sentence
    first: Numbers  # per sentence, and the end
    types: Numbers  # per word
    single: Numbers  # per type
    characters: Numbers  # per type


class Subject:
    """The inventories of a gold treebank, and of others that follow it."""

    def __init__(self, gold: GoldTreebanks, vectors: Vectors | None) -> None:
        self.gold, self.vectors = gold, vectors
        self.sentences = gold.sentences
        columns = [name for name in find_tags(gold.first) if name != LEMMA]
        self.tags: TagHeads = learn_tags(self.sentences, columns, len(gold.first))
        self.labels = sorted(labels_of(gold.first))
        self.known = learn_words(self.sentences, vectors[0] if vectors else None)
        counts = Counter(c for s in self.sentences for form in s.forms for c in form)
        often = sorted(character for character, n in counts.items() if n >= LEAST)
        self.character_numbers = {c: i for i, c in enumerate(often, OTHER_CHARACTER + 1)}

    @cached_property
    def given(self) -> Numbers:
        """The vectors from elsewhere."""
        return np.zeros((1, 0), np.float32) if self.vectors is None else self.vectors[1]

    @cached_property
    def table_sizes(self) -> tuple[int, ...]:
        """Rows of the tables of spellings, but for n-grams: characters take their place."""
        sizes = self._types.table_sizes
        return (*sizes[:BAG],)

    @property
    def n_characters(self) -> int:
        """Characters that are told apart, with the two that stand for none and for others."""
        return len(self.character_numbers) + 2

    @cached_property
    def _types(self) -> WordTypes:
        return self.known.types()

    def checksums(self) -> dict[str, str]:
        """Of all that is taught."""
        found = {"train": checksum(map(bytes, self.sentences))}
        if self.vectors is not None:
            found["vectors"] = checksum([b"\n".join(self.vectors[0]), self.given.tobytes()])
        return found

    def spell(self, sentences: Sequence[Sentence]) -> Spelled:
        """Sentences in numbers; these types are forgotten with the next call."""
        from dodona.training.neural.batching import WordTable

        self._types.clear()
        words = WordTable.of(sentences, self._types, BAG)
        forms: dict[str, None] = {}
        for sentence in sentences:
            forms.update(dict.fromkeys(sentence.forms))
        characters: Numbers = np.zeros((len(words.single), MOST_CHARACTERS), np.int32)
        numbers = self._types.numbers([Sentence.from_columns(list(forms))]) if forms else b""
        for form, number in zip(forms, np.frombuffer(numbers, np.int32).tolist(), strict=True):
            found = [self.character_numbers.get(c, OTHER_CHARACTER) for c in form[:MOST_CHARACTERS]]
            characters[number, : len(found)] = found
        return Spelled(words.n_words, words.first, words.types, words.single, characters)

    def answers(self) -> tuple[Numbers, Numbers, Numbers]:
        """Of every word its head (0: the root), its label, and its tags; negative: not known."""
        label = {name: i for i, name in enumerate(self.labels)}
        heads, labels = [], []
        for sentence in self.sentences:
            heads += [NO_CLASS if head is None else head for head in sentence.heads]
            labels += [label.get(name, NO_CLASS) for name in sentence.deprels]
        tags = self.tags.gold
        return (
            np.array(heads, np.int32),
            np.array(labels, np.int32),
            np.stack(tags) if tags else np.zeros((0, len(heads)), np.int32),
        )
