"""The parser as people use it: load, parse, save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dodona import container
from dodona.batches import stream
from dodona.container import Array
from dodona.core.action import Action
from dodona.core.actions import Actions
from dodona.core.beam import Beam
from dodona.core.corpus import Corpus
from dodona.core.features import Features
from dodona.core.greedy import Greedy
from dodona.core.packed import Scorer
from dodona.core.registry import system
from dodona.core.system import State
from dodona.settings import ROOT_COUNTS, Settings
from dodona.tagger import Tagger
from dodona.treebank.encoding import Encoder
from dodona.treebank.errors import BadSentence
from dodona.treebank.pseudoprojective import deprojectivise, lifted
from dodona.treebank.sentence import Sentence
from dodona.treebank.vocabulary import Vocabulary
from dodona.weights import (
    from_arrays,
    from_cluster_arrays,
    numbers,
    to_arrays,
    to_cluster_arrays,
)

KIND, VERSION = "model", 2  # 2: other feature keys

Item = TypeVar("Item", Sentence, Sentence | BadSentence)


@dataclass
class Parser:
    """A transition system, features, a model and greedy or beam search, ready to use.

    Made by `dodona.train` or `dodona.load`. `record` tells how it came to be: settings, checksums
    of the data, scores on the dev set.
    """

    settings: Settings
    templates: str
    encoder: Encoder
    root_label: str
    pairs: list[tuple[int, int, bool, bool]]
    weights: Scorer
    record: dict[str, Any] = field(default_factory=dict)
    tagger: Tagger | None = None

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
            static_oracle=self.settings.static_oracle,
            root_label=self.root_label,
        )
        self.actions = Actions(self.system, self.pairs)
        self.search = self._search(self.settings.roots, self.settings.beam)
        self._lifted = {i for i, label in enumerate(self.labels) if lifted(label)}

    def parse(self, sentence: Sentence) -> Sentence:
        """The sentence with the heads and labels that the parser gives it."""
        return next(self.pipe([sentence]))

    def trace(self, sentence: Sentence) -> list[tuple[State, Action | None]]:
        """Every state on the way to a sentence's tree, with the action that was taken there.

        The last state is final and has None. A tree that is not complete by then (words without a
        head, several roots) is completed afterwards, and crossing arcs are restored.
        """
        return self.search.trace(self.encode(sentence))

    def trace_beam(
        self, sentence: Sentence, beam: int | None = None
    ) -> list[list[tuple[float, int, Action | None]]]:
        """The hypotheses of beam search after each step: score, parent and action, best first.

        The parent is a place in the list before. A hypothesis that is final waits for the others:
        it has no action. `beam` is as in `pipe`; a beam of 1 is one, too.
        """
        width = self.settings.beam if beam is None else beam
        search = Beam(self.features, self.actions, self.weights, width=width)
        return search.steps(self.encode(sentence))

    def encode(self, sentence: Sentence) -> Corpus:
        """The sentence, tagged if the parser has a tagger, as the features see it."""
        return self.encoder.encode([self.tagger.tag(sentence) if self.tagger else sentence])

    def pipe(
        self,
        sentences: Iterable[Item],
        *,
        threads: int = 1,
        roots: str | None = None,
        beam: int | None = None,
        keep_tags: bool = False,
    ) -> Iterator[Item]:
        """Parse a stream of sentences, in order; bad ones pass through untouched.

        `roots` says how many words may hang under the root of a sentence: "one" or "many"; `beam`
        how many derivations are kept side by side. By default both are as in training. A parser
        with a tagger tags the words first, unless `keep_tags` says that they have their tags.
        """
        search = self.search
        if roots is not None or beam is not None:
            search = self._search(
                self.settings.roots if roots is None else roots,
                self.settings.beam if beam is None else beam,
            )
        tagger = None if keep_tags else self.tagger

        def work(batch: list[Sentence]) -> list[Sentence]:
            return self._parse_batch(tagger.tag_batch(batch) if tagger else batch, search)

        return stream(sentences, work, threads)

    def _search(self, roots: str, beam: int = 1) -> Greedy:
        if roots not in ROOT_COUNTS:
            raise ValueError(f"roots is one of {', '.join(ROOT_COUNTS)}, not {roots!r}")
        parts = self.features, self.actions, self.weights
        one_root, root_label = roots == "one", self.labels.index(self.root_label)
        if beam == 1:
            return Greedy(*parts, one_root=one_root, root_label=root_label)
        return Beam(*parts, width=beam, one_root=one_root, root_label=root_label)

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
        about: dict[str, Any] = {
            "settings": asdict(self.settings),
            "templates": self.templates,
            "labels": self.labels,
            "root_label": self.root_label,
            "actions": self.pairs,
            "columns": self.encoder.columns,
            "record": self.record,
        }
        about |= numbers(self.weights)
        arrays = to_arrays(self.weights)
        for name, vocabulary in zip(self.encoder.columns, self.encoder.vocabularies, strict=True):
            arrays[f"vocabulary.{name}"] = Array("U8", b"\n".join(vocabulary.strings()))
        arrays |= to_cluster_arrays(self.encoder.clusters)
        if self.tagger is not None:
            about["tagger"], tagger_arrays = self.tagger.parts()
            arrays |= tagger_arrays
        container.write(Path(path), KIND, VERSION, about, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Parser:
        """The parser in a model file."""
        about, arrays = container.read(Path(path), KIND, VERSION, oldest=VERSION)
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
        weights = from_arrays(len(pairs), about, arrays)
        settings = Settings(**about["settings"])
        clusters = from_cluster_arrays(arrays)
        encoder = Encoder(columns, vocabularies, labels, clusters)
        return cls(
            settings,
            about["templates"],
            encoder,
            about["root_label"],
            pairs,
            weights,
            about["record"],
            Tagger.from_parts(about["tagger"], arrays, clusters) if "tagger" in about else None,
        )
