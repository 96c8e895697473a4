"""Taggers that read words by a network, which a parser shares: a text is read once.

Lemmas come from a linear task that sees the network's tags: an edit script depends on how a word
ends and on its tags, and predicting scripts by the network was worse on ten of eleven treebanks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dodona.batches import Sentences
from dodona.core.features.corpus import Corpus
from dodona.core.network.network import Network
from dodona.core.tagging.tag_search import TagSearch
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.weights.packed import PackedWeights
from dodona.records import field, record
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import FileFormat, Payload
from dodona.storage.weights import from_packed_arrays, to_packed_arrays
from dodona.tagging.reading import WordReader
from dodona.tagging.symbols import tag_symbols
from dodona.tagging.tag_classes import (
    SymbolClasses,
    TagClasses,
    TagSignals,
    class_arrays,
    describe_tasks,
    read_classes,
    restore_symbols,
)
from dodona.tagging.tagger import Tagger
from dodona.tagging.tags import TAG_COLUMNS
from dodona.tagging.word_types import COLUMNS_READ, WordTypes
from dodona.treebank.encoding.vocabulary import Vocabulary

TYPES = {"f": "F32", "b": "I8", "I": "U32"}  # of arrays, by buffer format
PREFIX = "tag"  # of the names of arrays


@record(frozen=True)
class NetworkWords:
    """The words that a network knows: those with vectors of their own, and those with lemmas."""

    forms: list[bytes]  # in lower case
    sizes: list[int]  # rows of the tables of hashed spellings
    known: list[bytes]  # with lemmas
    vectors: list[bytes] | None = None  # words of pretrained vectors

    def types(self) -> WordTypes:
        """Return the encoder of words, with new vocabularies."""
        vectors = None if self.vectors is None else Vocabulary(self.vectors)
        return WordTypes(Vocabulary(self.forms), self.sizes, vectors, Vocabulary(self.known))


@record(repr=False)
class NetworkTags:
    """The tag scorer of a network, with a linear task for lemmas."""

    words: NetworkWords
    tag_classes: list[TagClasses]
    about: dict[str, Any]  # the sizes of the network …
    arrays: dict[str, memoryview]  # … and its parameters
    lemmas: PackedWeights | None = None  # weights of the last task if its column is LEMMA
    symbols: SymbolClasses = field(default_factory=list)  # of unknown emoji and currencies

    def __post_init__(self) -> None:
        self._columns = [task.column for task in self.tag_classes]
        if len({*self._columns} & {*TAG_COLUMNS}) != len(self._columns):
            raise ValueError(
                f"a tagger fills in some of {', '.join(TAG_COLUMNS)}, not {self._columns}"
            )
        self.network = Network(self.about, self.arrays)
        if (self._columns[-1:] == [LEMMA]) != (self.lemmas is not None):
            raise ValueError("lemmas must be the last task and have weights of their own")
        heads = self.tag_classes if self.lemmas is None else self.tag_classes[:-1]
        if self.about["tags"] != [task.n_classes for task in heads]:
            raise ValueError("the tag classes of the network are not those of the tagger")
        self._types = self.words.types()
        self._readers = [self._reader()]  # idle ones: each thread needs its own
        self._lemma_search: TagSearch | None = None
        if self.lemmas is not None:
            columns, before = (*COLUMNS_READ, *self._columns), self._columns[:-1]
            task = self.tag_classes[-1].task(columns, before, len(self.words.known))
            self._lemma_search = TagSearch(task, self.lemmas)

    def _reader(self) -> WordReader:
        # threads share the vocabularies, 4 MB with `en`, and have word types of their own
        shared = self._types
        types = WordTypes(shared.forms, shared.sizes, shared.vectors, shared.known)
        return WordReader(self.network, types, len(self._columns))

    def read(self, sentences: Sentences) -> Corpus:
        """Encode sentences, run the network, and write its tags; a search can then parse them."""
        reader = self._idle_reader()
        corpus = reader.read(sentences)
        self._readers.append(reader)
        return corpus

    def read_scored(self, sentences: Sentences) -> tuple[Corpus, TagSignals]:
        reader = self._idle_reader()
        corpus, scores = reader.read_scored(sentences)
        self._readers.append(reader)

        def signals(column: str, temperature: float) -> list[list[float]]:
            return scores.signals(corpus, self._columns.index(column), temperature)

        return corpus, signals

    def _idle_reader(self) -> WordReader:
        try:
            return self._readers.pop()
        except IndexError:
            return self._reader()

    def fill(self, corpus: Corpus, sentences: Sentences, kept: Mapping[str, bytes]) -> None:
        """Fix the tags of symbols and predict lemmas; the network's tags are already there."""
        self._fix(corpus, sentences, self._columns[:-1], kept)
        if self._lemma_search is not None:
            self._lemma_search.tag(corpus, kept.get(LEMMA))
        self._fix(corpus, sentences, self._columns[-1:], kept)

    def _fix(
        self,
        corpus: Corpus,
        sentences: Sentences,
        columns: Sequence[str],
        kept: Mapping[str, bytes],
    ) -> None:
        """Give unknown emoji and currencies their tags."""
        for column in columns if self.symbols else ():
            task = self._columns.index(column)
            position = len(COLUMNS_READ) + task
            tag_symbols(corpus, sentences, position, self.symbols[task], kept.get(column))

    def describe(self) -> dict[str, Any]:
        return {"n_features": 0, "clusters": ""}

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about: dict[str, Any] = {
            "network": self.about,
            "sizes": self.words.sizes,
            "tasks": describe_tasks(self.tag_classes, self.symbols),
        }
        arrays = {
            f"network.{name}": Array(TYPES[numbers.format], numbers.cast("B"))
            for name, numbers in self.arrays.items()
        }
        lists = {"forms": self.words.forms, "known": self.words.known}
        if self.words.vectors is not None:
            lists["vectors"] = self.words.vectors
        for name, strings in lists.items():
            arrays[f"words.{name}"] = Array("U8", b"\n".join(strings))
        for task in self.tag_classes:
            arrays |= class_arrays(PREFIX, task)
        if self.lemmas is not None:
            about["step"] = self.lemmas.step
            arrays |= to_packed_arrays("lemmas", self.lemmas)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> NetworkTags:
        about, arrays = payload.about, payload.arrays

        def strings(name: str) -> list[bytes]:
            text = bytes(arrays[f"words.{name}"])
            return text.split(b"\n") if text else []

        tasks = read_field(about, "tasks", list[dict[str, Any]])
        tag_classes = [read_classes(PREFIX, task, arrays) for task in tasks]
        named = (name for name in arrays if name.startswith("network."))
        network = {name.removeprefix("network."): arrays[name] for name in named}
        vectors = strings("vectors") if "words.vectors" in arrays else None
        sizes = read_field(about, "sizes", list[int])
        words = NetworkWords(strings("forms"), sizes, strings("known"), vectors)
        lemmas = None
        if "step" in about and tag_classes:
            step, n_classes = read_field(about, "step", float), tag_classes[-1].n_classes
            lemmas = from_packed_arrays("lemmas", n_classes, step, arrays)
        symbols = restore_symbols(tasks, [len(task.classes) for task in tag_classes])
        return cls(words, tag_classes, read_field(about, "network", dict), network, lemmas, symbols)


class NetworkTagger(Tagger):
    """A tagger in the format of networks: its scorer is `NetworkTags`."""

    FORMAT = FileFormat("network", version=1, oldest=1, implied=1)
    SCORER = NetworkTags
    scorer: NetworkTags
