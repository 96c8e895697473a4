"""Linear tag scorers: one task per column, each of which sees the tags of the tasks before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dodona.batches import Sentences
from dodona.core.features.corpus import Corpus
from dodona.core.tagging.tag_search import TagSearch, tag_all
from dodona.core.tagging.tag_signals import tag_signals
from dodona.core.tagging.tag_task import TagTask
from dodona.core.weights.packed import PackedWeights
from dodona.records import field, record
from dodona.settings import TaggerSettings
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field, read_settings
from dodona.storage.serialisable import Payload
from dodona.storage.weights import from_packed_arrays, to_cluster_arrays, to_packed_arrays
from dodona.tagging.symbols import has_symbols, tag_symbols
from dodona.tagging.tag_classes import (
    Numbers,
    SymbolClasses,
    TagClasses,
    TagSignals,
    class_arrays,
    describe_tasks,
    read_classes,
    restore_symbols,
)
from dodona.tagging.tags import TAG_COLUMNS
from dodona.tagging.word_encoder import CLUSTER_COLUMNS, COLUMNS, WordEncoder
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.vocabulary import Vocabulary

PREFIX = "tagger"  # of the names of arrays


@record(frozen=True)
class TagInventory:
    """The words and tag classes that a linear tagger knows: all of it but the weights."""

    forms: Vocabulary
    ambiguity: Numbers  # ambiguity class per form
    tag_classes: list[TagClasses]
    clusters: Clusters | None = None
    symbols: SymbolClasses = field(default_factory=list)  # of unknown emoji and currencies

    def word_encoder(self) -> WordEncoder:
        """Return the encoder of words."""
        return WordEncoder(self.forms, self.ambiguity, self.clusters)

    def tasks(self) -> list[TagTask]:
        """Return the tasks in their order."""
        names = [task.column for task in self.tag_classes]
        if not names or len({*names} & {*TAG_COLUMNS}) != len(names):
            raise ValueError(f"a tagger fills in some of {', '.join(TAG_COLUMNS)}, not {names}")
        clusters = () if self.clusters is None else CLUSTER_COLUMNS
        columns = (*COLUMNS, *clusters, *names)
        return [
            task.task(columns, names[:i], len(self.forms))
            for i, task in enumerate(self.tag_classes)
        ]


@record(repr=False)
class LinearTags:
    """The tag scorer of packed weights: greedy or beam search for each task in turn."""

    settings: TaggerSettings
    inventory: TagInventory
    weights: list[PackedWeights]

    def __post_init__(self) -> None:
        self.tag_classes = self.inventory.tag_classes
        self.word_encoder = self.inventory.word_encoder()
        widths = (self.settings.width_of(task.column) for task in self.tag_classes)
        parts = zip(self.inventory.tasks(), self.weights, widths, strict=True)
        self.searches = [TagSearch(*part) for part in parts]

    def read(self, sentences: Sentences) -> Corpus:
        return self.word_encoder.encode(sentences, len(self.searches))

    def read_scored(self, sentences: Sentences) -> tuple[Corpus, TagSignals]:
        corpus = self.read(sentences)
        columns = (task.column for task in self.tag_classes)
        searches = dict(zip(columns, self.searches, strict=True))

        def signals(column: str, temperature: float) -> list[list[float]]:
            search = searches[column]
            return tag_signals(search.task, search.weights, corpus, temperature)

        return corpus, signals

    def fill(self, corpus: Corpus, sentences: Sentences, kept: Mapping[str, bytes]) -> None:
        marks = [kept.get(task.column) for task in self.tag_classes]
        symbols = self.inventory.symbols
        if not symbols or not has_symbols(corpus, sentences):
            tag_all(self.searches, corpus, marks)
            return
        first = corpus.n_columns - len(self.searches)
        # symbols are fixed task by task, so that later tasks see the fixed tags
        for task, search in enumerate(self.searches):
            search.tag(corpus, marks[task])
            tag_symbols(corpus, sentences, first + task, symbols[task], marks[task])

    def describe(self) -> dict[str, Any]:
        n_features = sum(weights.n_rows for weights in self.weights)
        return {"n_features": n_features, "clusters": self.settings.clusters}

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        from dataclasses import asdict

        known, settings = self.inventory, asdict(self.settings)
        if not self.settings.clusters:
            del settings["clusters"]  # as in files from before there were clusters
        about = {
            "settings": settings,
            "tasks": describe_tasks(self.tag_classes, known.symbols),
            "steps": [weights.step for weights in self.weights],
        }
        arrays = {
            f"{PREFIX}.forms": Array("U8", b"\n".join(known.forms.strings())),
            f"{PREFIX}.ambiguity": Array("U32", known.ambiguity.tobytes()),
        }
        arrays |= to_cluster_arrays(known.clusters)
        for task, weights in zip(self.tag_classes, self.weights, strict=True):
            arrays |= class_arrays(PREFIX, task)
            arrays |= to_packed_arrays(f"{PREFIX}.{task.column}", weights)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> LinearTags:
        """Deserialise what `serialise` wrote, with the clusters of the file if it uses any."""
        about, arrays = payload.about, payload.arrays
        settings = read_settings(about, TaggerSettings)
        if settings.clusters and payload.clusters is None:
            raise ValueError(f"the clusters of {settings.clusters} are missing")
        forms = Vocabulary.of_lines(arrays[f"{PREFIX}.forms"].cast("B"))
        tasks = read_field(about, "tasks", list[dict[str, Any]])
        steps = read_field(about, "steps", list[float])
        tag_classes = [read_classes(PREFIX, task, arrays) for task in tasks]
        weights = [
            from_packed_arrays(f"{PREFIX}.{task.column}", task.n_classes, step, arrays)
            for task, step in zip(tag_classes, steps, strict=True)
        ]
        clusters = payload.clusters if settings.clusters else None
        symbols = restore_symbols(tasks, [len(task.classes) for task in tag_classes])
        ambiguity = arrays[f"{PREFIX}.ambiguity"]
        inventory = TagInventory(forms, ambiguity, tag_classes, clusters, symbols)
        return cls(settings, inventory, weights)
