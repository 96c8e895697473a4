"""Words read by a network: tags and lemmas for people, rows for the parser that shares the network.

One network does both, so that a text is read once. Lemmas come from a linear task, as those of
other taggers do, which is told the network's tags: a script depends on how a word ends and on its
tags, and a head of the network for scripts was worse on ten of eleven treebanks.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from dodona.batches import stream
from dodona.core.features.corpus import Corpus
from dodona.core.network.network import Network
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.tagging.tag_search import TagSearch
from dodona.core.weights.packed import PackedWeights
from dodona.doc import Doc
from dodona.records import field, record
from dodona.segmentation.segmenter import Segmenter, require_segmenter
from dodona.storage.container import Array
from dodona.storage.json_fields import check_column_values, read_field
from dodona.storage.serialisable import FileFormat, Payload, Serialisable
from dodona.storage.weights import from_packed_arrays, to_packed_arrays
from dodona.tagging.lemma_exceptions import UnknownLemmas
from dodona.tagging.reading import WordReader
from dodona.tagging.symbol_classes import SymbolClasses, restore_symbols
from dodona.tagging.symbols import tag_symbols
from dodona.tagging.tagger import (
    Answers,
    later_entries,
    restore_unknown,
    tag_task,
    unknown_arrays,
)
from dodona.tagging.tags import TAG_COLUMNS, keep_tags, with_tags
from dodona.tagging.word_types import COLUMNS_READ, WordTypes
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence

Item = TypeVar("Item", Sentence, Sentence | BadSentence)
TYPES = {"f": "F32", "b": "I8"}  # by the format of a buffer
CERTAIN = ("entries", "before", "fixed")


@record(frozen=True)
class Words:
    """What is known of words: which have vectors of their own, and whose lemmas are known."""

    forms: list[bytes]  # in lower case
    sizes: list[int]  # rows of the tables of hashed spellings
    known: list[bytes]  # with lemmas
    vectors: list[bytes] | None = None  # from elsewhere

    def types(self) -> WordTypes:
        """What spells words."""
        vectors = None if self.vectors is None else Vocabulary(self.vectors)
        return WordTypes(Vocabulary(self.forms), self.sizes, vectors, Vocabulary(self.known))


@record(repr=False)
class NeuralTagger(Serialisable):
    """Tags words with UPOS, XPOS, FEATS and lemmas, those of them that it was trained on."""

    FORMAT = FileFormat("network", version=1, oldest=1, implied=1)

    words: Words
    answers: list[Answers]
    about: dict[str, Any]  # the sizes of the network …
    arrays: dict[str, memoryview]  # … and its numbers
    lemmas: PackedWeights | None = None  # of the last task, if that is the one of lemmas
    record: dict[str, Any] = field(default_factory=dict)
    segmenter: Segmenter | None = None
    symbols: SymbolClasses = field(default_factory=list)  # of unknown emoji and currencies, by task

    def __post_init__(self) -> None:
        self.columns = [answers.column for answers in self.answers]
        if len({*self.columns} & {*TAG_COLUMNS}) != len(self.columns):
            raise ValueError(f"a tagger fills in some of {', '.join(TAG_COLUMNS)}")
        self.classes = [answers.classes for answers in self.answers]
        self.meanings = [answers.meanings for answers in self.answers]
        self.network = Network(self.about, self.arrays)
        if (self.columns[-1:] == [LEMMA]) != (self.lemmas is not None):
            raise ValueError("lemmas are the last task, and have weights of their own")
        heads = self.answers if self.lemmas is None else self.answers[:-1]
        if self.about["tags"] != [answers.n_classes for answers in heads]:
            raise ValueError("the network has other tags than the tagger")
        self._free = [self._reader()]
        self._lemma_search = self._search()

    def __repr__(self) -> str:
        return f"<NeuralTagger of {', '.join(self.columns)}>"

    def _reader(self) -> WordReader:
        return WordReader(self.network, self.words.types(), len(self.columns))

    def _search(self) -> TagSearch | None:
        if self.lemmas is None:
            return None
        columns = (*COLUMNS_READ, *self.columns)
        task = tag_task(columns, self.answers[-1], self.columns[:-1], len(self.words.known))
        return TagSearch(task, self.lemmas)

    def __call__(self, text: str, *, threads: int = 1) -> Doc:
        """Raw text with its sentences, words and tags."""
        segmenter = require_segmenter(self.segmenter)
        sentences = self.pipe(segmenter.segment(text), threads=threads)
        return Doc(sentences, text, is_strange=segmenter.is_strange(text))

    def tag(self, sentence: Sentence) -> Sentence:
        """The sentence with the tags that the tagger gives it."""
        return self.tag_batch([sentence])[0]

    def pipe(
        self, sentences: Iterable[Item], *, threads: int = 1, keep: Collection[str] = ()
    ) -> Iterator[Item]:
        """Tag a stream of sentences, in order; bad ones pass through untouched."""
        return stream(sentences, partial(self.tag_batch, keep=keep), threads)

    def tag_batch(self, sentences: list[Sentence], keep: Collection[str] = ()) -> list[Sentence]:
        """The sentences with their tags; columns in `keep` stay where a sentence has them."""
        return self.tagged(self.read(sentences), sentences, keep)

    def read(self, sentences: list[Sentence]) -> Corpus:
        """The sentences as the network reads them, with its tags, and ready for a search."""
        try:
            reader = self._free.pop()  # another thread may have it
        except IndexError:
            reader = self._reader()
        corpus = reader.read(sentences)
        self._free.append(reader)
        return corpus

    def tagged(
        self, corpus: Corpus, sentences: list[Sentence], keep: Collection[str] = ()
    ) -> list[Sentence]:
        """The sentences with the tags that stand in the corpus, and the lemmas that go with them.

        Tags that are kept tell what they would have told as the network's own.
        """
        given = self.columns, self.meanings
        kept = {column: keep_tags(corpus, sentences, *given, column) for column in keep}
        self._fix(corpus, sentences, self.columns[: len(self.columns) - 1], kept)
        if self._lemma_search is not None:
            self._lemma_search.tag(corpus, kept.get(LEMMA))
        self._fix(corpus, sentences, self.columns[-1:], kept)
        return with_tags(corpus, sentences, self.columns, self.meanings, keep=keep)

    def _fix(
        self,
        corpus: Corpus,
        sentences: list[Sentence],
        columns: Sequence[str],
        kept: dict[str, bytes],
    ) -> None:
        """Give unknown emoji and currencies their tags."""
        for column in columns if self.symbols else ():
            task = self.columns.index(column)
            place = len(COLUMNS_READ) + task
            tag_symbols(corpus, sentences, place, self.symbols[task], kept.get(column))

    def parts(self) -> dict[str, Segmenter | None]:
        """The segmenter; inside a parser, it is a part of that."""
        return {"segmenter": self.segmenter}

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The tagger as plain data and arrays."""
        about: dict[str, Any] = {
            "network": self.about,
            "sizes": self.words.sizes,
            "tasks": [
                {
                    "column": answers.column,
                    "classes": [name.decode() for name in answers.classes],
                    "n_learned": answers.n_learned,
                    **later_entries(self.symbols[i : i + 1], answers),
                }
                for i, answers in enumerate(self.answers)
            ],
            "record": self.record,
        }
        if self.lemmas is not None:
            about["step"] = self.lemmas.step
        arrays = {
            f"network.{name}": Array(TYPES[numbers.format], numbers.cast("B"))
            for name, numbers in self.arrays.items()
        }
        lists = {"forms": self.words.forms, "known": self.words.known}
        if self.words.vectors is not None:
            lists["vectors"] = self.words.vectors
        for name, strings in lists.items():
            arrays[f"words.{name}"] = Array("U8", b"\n".join(strings))
        for answers in self.answers:
            for name in CERTAIN:
                numbers = getattr(answers, name)
                arrays[f"tag.{answers.column}.{name}"] = Array("U32", numbers.tobytes())
            arrays |= unknown_arrays(f"tag.{answers.column}", answers.unknown)
        if self.lemmas is not None:
            arrays |= to_packed_arrays("lemmas", self.lemmas)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> NeuralTagger:
        """The tagger that `serialise` wrote."""
        about, arrays = payload.about, payload.arrays

        def strings(name: str) -> list[bytes]:
            text = bytes(arrays[f"words.{name}"])
            return text.split(b"\n") if text else []

        answers = []
        tasks = read_field(about, "tasks", list[dict[str, Any]])
        for task in tasks:
            column, classes = (
                read_field(task, "column", str),
                read_field(task, "classes", list[str]),
            )
            if column != LEMMA:
                check_column_values(column, classes)
            entries, before, fixed = (arrays[f"tag.{column}.{name}"] for name in CERTAIN)
            encoded = [name.encode() for name in classes]
            n_learned = read_field(task, "n_learned", int)
            unknown = restore_unknown(f"tag.{column}", arrays) if "unknown" in task else UnknownLemmas()
            answers.append(Answers(column, encoded, entries, before, fixed, n_learned, unknown))
        named = (name for name in arrays if name.startswith("network."))
        network = {name.removeprefix("network."): arrays[name] for name in named}
        vectors = strings("vectors") if "words.vectors" in arrays else None
        words = Words(
            strings("forms"), read_field(about, "sizes", list[int]), strings("known"), vectors
        )
        lemmas = None
        if "step" in about and answers:
            step, n_classes = read_field(about, "step", float), answers[-1].n_classes
            lemmas = from_packed_arrays("lemmas", n_classes, step, arrays)
        segmenter = payload.part("segmenter", Segmenter)
        record = read_field(about, "record", dict)
        symbols = restore_symbols(tasks, [len(found.classes) for found in answers])
        sizes = read_field(about, "network", dict)
        return cls(words, answers, sizes, network, lemmas, record, segmenter, symbols)


def no_answers(column: str, classes: list[bytes], n_learned: int = 0) -> Answers:
    """What a task may answer where no word is certain."""
    none = array("I")
    return Answers(column, classes, none, none, none, n_learned)
