"""The tagger as people use it: load, tag, save.

Each column of tags is a task of its own, and later tasks see what earlier ones have found; lemmas,
whose classes are scripts that make them of forms, come last. A column that the training data leave
empty is no task: it stays as it is.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from dodona.batches import require_sentence, stream
from dodona.core.features.corpus import Corpus
from dodona.core.tagging.tag_features import TagFeatures
from dodona.core.tagging.tag_search import TagSearch, tag_all
from dodona.core.tagging.tag_task import TagTask
from dodona.core.tagging.tag_templates import LEMMA, tag_templates
from dodona.core.weights.packed import PackedWeights
from dodona.doc import Doc
from dodona.records import field, fields, record
from dodona.segmentation.segmenter import Segmenter, require_segmenter
from dodona.settings import TaggerSettings
from dodona.storage.container import Array
from dodona.storage.json_fields import check_column_values, read_field, read_settings
from dodona.storage.serialisable import FileFormat, Payload, Serialisable
from dodona.storage.weights import from_packed_arrays, to_cluster_arrays, to_packed_arrays
from dodona.tagging.lemma_correction import LemmaCorrection
from dodona.tagging.lemma_exceptions import UnknownLemmas
from dodona.tagging.symbol_classes import SymbolClasses, restore_symbols
from dodona.tagging.symbols import has_symbols, tag_symbols
from dodona.tagging.tags import TAG_COLUMNS, keep_tags, with_tags
from dodona.tagging.word_encoder import CLUSTER_COLUMNS, COLUMNS, WordEncoder
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence, check_field

Item = TypeVar("Item", Sentence, Sentence | BadSentence)
Numbers: TypeAlias = "array[int] | memoryview"  # of 32 bits
HASHES = ("endings", "lemmas", "prefixes")  # of `UnknownLemmas`, of 64 bits
UNKNOWN_TYPES = {
    part.name: "U64" if part.name in HASHES else "U32" for part in fields(UnknownLemmas)
}


@record(frozen=True)
class Answers:
    """What a task may answer: its classes, and the words that have one of them for certain."""

    column: str
    classes: list[bytes]
    entries: Numbers  # known words, ascending …
    before: Numbers  # … which, where the task before (for lemmas: all of them) gave this …
    fixed: Numbers  # … have this class
    n_learned: int = 0  # the classes from there on are those of certain words only; 0: none is
    unknown: UnknownLemmas = field(default_factory=UnknownLemmas)  # of lemmas
    meanings: list[bytes] | LemmaCorrection = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.n_learned <= len(self.classes):
            raise ValueError(f"{self.n_learned} classes are learned, of {len(self.classes)}")
        if self.column != LEMMA:
            for name in self.classes:
                check_field(name)
        # what the classes stand for, made at once: threads may share it
        meanings = self._guesses() if self.column == LEMMA else self.classes
        object.__setattr__(self, "meanings", meanings)

    def _guesses(self) -> LemmaCorrection:
        known = self.unknown
        return LemmaCorrection(
            self.classes,
            zip(known.endings, known.tags, known.scripts, strict=True),
            known.lemmas,
            known.prefixes,
            zip(known.usual_tags, known.usual_scripts, strict=True),
        )

    @property
    def n_classes(self) -> int:
        """How many classes the perceptron chooses among."""
        return self.n_learned or len(self.classes)


@record(frozen=True)
class Knowledge:
    """All that a tagger knows but for its weights: the words, and the answers to each task."""

    forms: Vocabulary
    ambiguity: Numbers  # per form
    answers: list[Answers]
    clusters: Clusters | None = None
    symbols: SymbolClasses = field(default_factory=list)  # of unknown emoji and currencies, by task

    def speller(self) -> WordEncoder:
        """What makes numbers of words."""
        return WordEncoder(self.forms, self.ambiguity, self.clusters)

    def tasks(self) -> list[TagTask]:
        """The tasks, in their order."""
        names = [answers.column for answers in self.answers]
        if not names or len({*names} & {*TAG_COLUMNS}) != len(names):
            raise ValueError(f"a tagger fills in some of {', '.join(TAG_COLUMNS)}, not {names}")
        clusters = () if self.clusters is None else CLUSTER_COLUMNS
        columns = (*COLUMNS, *clusters, *names)
        return [
            tag_task(columns, answers, names[:i], len(self.forms))
            for i, answers in enumerate(self.answers)
        ]


def tag_task(
    columns: Sequence[str], answers: Answers, before: Sequence[str], n_known: int
) -> TagTask:
    """The task that gives these answers, after those that have filled in the columns `before`.

    Lemmas are certain given all of them, other tags given the last.
    """
    own = answers.column
    return TagTask(
        TagFeatures(tag_templates(columns, own, before), columns, own),
        columns,
        own,
        before if own == LEMMA else before[-1:],
        answers.n_classes,
        n_known,
        answers.entries,
        answers.before,
        answers.fixed,
        len(answers.classes),
    )


@record(repr=False)
class Tagger(Serialisable):
    """Tags words with UPOS, XPOS, FEATS and lemmas, those of them that it was trained on.

    Made by `dodona.train_tagger` or `Tagger.load`. `record` tells how it came to be. With a
    segmenter it needs no words.
    """

    FORMAT = FileFormat("tagger", version=2, oldest=2, implied=2)  # 2: lemmas

    settings: TaggerSettings
    knowledge: Knowledge
    weights: list[PackedWeights]
    record: dict[str, Any] = field(default_factory=dict)
    segmenter: Segmenter | None = None

    def __post_init__(self) -> None:
        known = self.knowledge
        self.columns = [answers.column for answers in known.answers]
        self.classes = [answers.classes for answers in known.answers]
        self.speller = known.speller()
        self.meanings = [answers.meanings for answers in known.answers]
        widths = map(self.settings.width_of, self.columns)
        parts = zip(known.tasks(), self.weights, widths, strict=True)
        self.searches = [TagSearch(*part) for part in parts]

    def __repr__(self) -> str:
        return f"<Tagger of {', '.join(self.columns)}>"

    def __call__(self, text: str, *, threads: int = 1) -> Doc:
        """Raw text with its sentences, words and tags."""
        segmenter = require_segmenter(self.segmenter)
        sentences = self.pipe(segmenter.segment(text), threads=threads)
        return Doc(sentences, text, is_strange=segmenter.is_strange(text))

    def tag(self, sentence: Sentence) -> Sentence:
        """The sentence with the tags that the tagger gives it."""
        return self.tag_batch([require_sentence(sentence)])[0]

    def pipe(
        self, sentences: Iterable[Item], *, threads: int = 1, keep: Collection[str] = ()
    ) -> Iterator[Item]:
        """Tag a stream of sentences, in order; bad ones pass through untouched.

        Where the stream ends in an error, all sentences before it are given out first. `keep` is
        that of `tag_batch`.
        """
        return stream(sentences, partial(self.tag_batch, keep=keep), threads)

    def tag_batch(self, sentences: list[Sentence], keep: Collection[str] = ()) -> list[Sentence]:
        """The sentences with their tags.

        A column in `keep` (of `columns`) stays as it is in every sentence that has a value there,
        and tells the tasks that come after it what it would have told them as their own.
        """
        corpus = self.tags(sentences, keep)
        return with_tags(corpus, sentences, self.columns, self.meanings, keep=keep)

    def tags(self, sentences: list[Sentence], keep: Collection[str] = ()) -> Corpus:
        """The sentences as numbers, tags included; `with_tags` reads them."""
        if not {*keep} <= {*TAG_COLUMNS}:
            raise ValueError(f"keep has some of {', '.join(TAG_COLUMNS)}, not {[*keep]}")
        corpus = self.speller.encode(sentences, len(self.searches))
        kept = [
            keep_tags(corpus, sentences, self.columns, self.meanings, column)
            if column in keep
            else None
            for column in self.columns
        ]
        if self.knowledge.symbols and has_symbols(corpus, sentences):
            self._tag_with_symbols(corpus, sentences, kept)
        else:
            tag_all(self.searches, corpus, kept)
        return corpus

    def _tag_with_symbols(
        self, corpus: Corpus, sentences: list[Sentence], kept: list[bytes | None]
    ) -> None:
        """Each task is told which tags the symbols have been given by those before it."""
        first = corpus.n_columns - len(self.columns)
        for task, search in enumerate(self.searches):
            search.tag(corpus, kept[task])
            fixed = self.knowledge.symbols[task]
            tag_symbols(corpus, sentences, first + task, fixed, kept[task])

    def parts(self) -> dict[str, Segmenter | None]:
        """The segmenter; inside a parser, it is a part of that."""
        return {"segmenter": self.segmenter}

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The tagger as plain data and arrays."""
        from dataclasses import asdict

        settings = asdict(self.settings)
        if not self.settings.clusters:
            del settings["clusters"]  # without any, files are as they were before there were some
        about = {
            "settings": settings,
            "tasks": [
                {
                    "column": answers.column,
                    "classes": [name.decode() for name in answers.classes],
                    "n_learned": answers.n_learned,
                    **later_entries(self.knowledge.symbols[i : i + 1], answers),
                }
                for i, answers in enumerate(self.knowledge.answers)
            ],
            "steps": [weights.step for weights in self.weights],
            "record": self.record,
        }
        known = self.knowledge
        arrays = {
            "tagger.forms": Array("U8", b"\n".join(known.forms.strings())),
            "tagger.ambiguity": _to_array(known.ambiguity),
        }
        arrays |= to_cluster_arrays(known.clusters)
        for answers, weights in zip(known.answers, self.weights, strict=True):
            name = f"tagger.{answers.column}"
            arrays[f"{name}.entries"] = _to_array(answers.entries)
            arrays[f"{name}.before"] = _to_array(answers.before)
            arrays[f"{name}.fixed"] = _to_array(answers.fixed)
            arrays |= unknown_arrays(name, answers.unknown)
            arrays |= to_packed_arrays(name, weights)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> Tagger:
        """The tagger that `serialise` wrote, with the clusters of the file if it uses any."""
        about, arrays = payload.about, payload.arrays
        settings = read_settings(about, TaggerSettings)
        if settings.clusters and payload.clusters is None:
            raise ValueError(f"the clusters of {settings.clusters} are not there")
        forms = Vocabulary.of_lines(arrays["tagger.forms"].cast("B"))
        answers, weights = [], []
        tasks, steps = (
            read_field(about, "tasks", list[dict[str, Any]]),
            read_field(about, "steps", list[float]),
        )
        for task, step in zip(tasks, steps, strict=True):
            answers.append(_answers(task, arrays))
            name, n_classes = f"tagger.{answers[-1].column}", answers[-1].n_classes
            weights.append(from_packed_arrays(name, n_classes, step, arrays))
        clusters = payload.clusters if settings.clusters else None
        symbols = restore_symbols(tasks, [len(found.classes) for found in answers])
        knowledge = Knowledge(forms, arrays["tagger.ambiguity"], answers, clusters, symbols)
        segmenter = payload.part("segmenter", Segmenter)
        return cls(settings, knowledge, weights, read_field(about, "record", dict), segmenter)


def _answers(task: dict[str, Any], arrays: Mapping[str, memoryview]) -> Answers:
    """What a task may answer, as a file has it."""
    column, classes = read_field(task, "column", str), read_field(task, "classes", list[str])
    n_learned = read_field(task, "n_learned", int)
    if not 0 <= n_learned <= len(classes):
        raise ValueError(f"{n_learned} of {len(classes)} classes of {column} are learned")
    if column != LEMMA:
        check_column_values(column, classes)
    entries, before, fixed = (
        arrays[f"tagger.{column}.{part}"] for part in ("entries", "before", "fixed")
    )
    unknown = restore_unknown(f"tagger.{column}", arrays) if "unknown" in task else UnknownLemmas()
    return Answers(column, [*map(str.encode, classes)], entries, before, fixed, n_learned, unknown)


def later_entries(symbols: SymbolClasses, answers: Answers) -> dict[str, Any]:
    """What a task says that files of old do not."""
    found: dict[str, Any] = {"symbols": list(symbols[0])} if symbols else {}
    return found | ({"unknown": True} if len(answers.unknown.lemmas) else {})


def unknown_arrays(name: str, unknown: UnknownLemmas) -> dict[str, Array]:
    """What a file has of the lemmas of unknown words: nothing, where nothing is known of them."""
    return {
        f"{name}.unknown.{part.name}": Array(
            UNKNOWN_TYPES[part.name], getattr(unknown, part.name).tobytes()
        )
        for part in fields(unknown)
        if len(unknown.lemmas)
    }


def restore_unknown(name: str, arrays: Mapping[str, memoryview]) -> UnknownLemmas:
    """The same from a file."""
    return UnknownLemmas(*(arrays[f"{name}.unknown.{part.name}"] for part in fields(UnknownLemmas)))


def _to_array(numbers: Numbers) -> Array:
    return Array("U32", numbers.tobytes())
