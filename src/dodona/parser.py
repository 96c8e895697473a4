"""The parser as people use it: load, parse, save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dodona import container
from dodona.batches import stream
from dodona.container import Array
from dodona.core.actions import Actions
from dodona.core.features import Features
from dodona.core.greedy import Greedy
from dodona.core.packed import PackedWeights
from dodona.core.registry import system
from dodona.settings import ROOT_COUNTS, Settings
from dodona.treebank.encoding import Encoder
from dodona.treebank.errors import BadSentence
from dodona.treebank.pseudoprojective import deprojectivise, lifted
from dodona.treebank.sentence import Sentence
from dodona.treebank.vocabulary import Vocabulary

KIND, VERSION = "model", 1

Item = TypeVar("Item", Sentence, Sentence | BadSentence)


@dataclass
class Parser:
    """A transition system, features, a model and greedy search, ready to use.

    Made by `dodona.train` or `dodona.load`. `record` tells how it came to be: settings, checksums
    of the data, scores on the dev set.
    """

    settings: Settings
    templates: str
    encoder: Encoder
    root_label: str
    pairs: list[tuple[int, int, bool, bool]]
    weights: PackedWeights
    record: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.features = Features(self.templates)
        if self.features.columns != self.encoder.columns:
            raise ValueError(f"templates for {self.features.columns}, not {self.encoder.columns}")
        self.labels = [label.decode() for label in self.encoder.labels]
        self.system = system(
            self.settings.system,
            labels=self.labels,
            root=self.settings.root,
            loss=self.settings.loss,
            root_label=self.root_label,
        )
        self.actions = Actions(self.system, self.pairs)
        self.search = self._search(self.settings.roots)
        self._lifted = {i for i, label in enumerate(self.labels) if lifted(label)}

    def parse(self, sentence: Sentence) -> Sentence:
        """The sentence with the heads and labels that the parser gives it."""
        return self._parse_batch([sentence], self.search)[0]

    def pipe(
        self, sentences: Iterable[Item], *, threads: int = 1, roots: str | None = None
    ) -> Iterator[Item]:
        """Parse a stream of sentences, in order; bad ones pass through untouched.

        `roots` says how many words may hang under the root of a sentence: "one" or "many"; by
        default what the parser was trained with.
        """
        search = self.search if roots is None else self._search(roots)
        return stream(sentences, lambda batch: self._parse_batch(batch, search), threads)

    def _search(self, roots: str) -> Greedy:
        if roots not in ROOT_COUNTS:
            raise ValueError(f"roots is one of {', '.join(ROOT_COUNTS)}, not {roots!r}")
        return Greedy(
            self.features,
            self.actions,
            self.weights,
            one_root=roots == "one",
            root_label=self.labels.index(self.root_label),
        )

    def _parse_batch(self, batch: list[Sentence], search: Greedy) -> list[Sentence]:
        corpus = self.encoder.encode(batch)
        search.parse(corpus)
        parsed = self.encoder.decode(corpus, batch)
        if self._lifted:
            for i, sentence in enumerate(parsed):
                if not self._lifted.isdisjoint(corpus.labels(i)):
                    heads, labels = deprojectivise(
                        [head or 0 for head in sentence.heads],
                        sentence.deprels,
                        self.settings.projectivise,
                    )
                    parsed[i] = sentence.replace(heads=heads, deprels=labels)
        return parsed

    def save(self, path: str | Path) -> None:
        """Write the model to one file; an old one stays until the new one is complete."""
        about = {
            "settings": asdict(self.settings),
            "templates": self.templates,
            "labels": self.labels,
            "root_label": self.root_label,
            "actions": self.pairs,
            "columns": self.encoder.columns,
            "step": self.weights.step,
            "record": self.record,
        }
        arrays = {
            "weights.buckets": Array("U32", self.weights.buckets_bytes()),
            "weights.rows": Array("I8", self.weights.rows_bytes()),
        }
        for name, vocabulary in zip(self.encoder.columns, self.encoder.vocabularies, strict=True):
            arrays[f"vocabulary.{name}"] = Array("U8", b"\n".join(vocabulary.strings()))
        container.write(Path(path), KIND, VERSION, about, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Parser:
        """The parser in a model file."""
        about, arrays = container.read(Path(path), KIND, VERSION)
        try:
            return cls._restore(about, arrays)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise container.ContainerError(
                f"{path}: the model does not fit together: {error}"
            ) from error

    @classmethod
    def _restore(cls, about: dict[str, Any], arrays: dict[str, memoryview]) -> Parser:
        columns = about["columns"]
        vocabularies = []
        for name in columns:
            text = bytes(arrays[f"vocabulary.{name}"])
            vocabularies.append(Vocabulary(text.split(b"\n")))
        labels = [label.encode() for label in about["labels"]]
        pairs = [tuple(pair) for pair in about["actions"]]
        weights = PackedWeights(
            len(pairs),
            about["step"],
            arrays["weights.buckets"].cast("B"),
            arrays["weights.rows"].cast("B"),
        )
        settings = Settings(**about["settings"])
        encoder = Encoder(columns, vocabularies, labels)
        return cls(
            settings,
            about["templates"],
            encoder,
            about["root_label"],
            pairs,
            weights,
            about["record"],
        )
