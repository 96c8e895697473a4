"""The parser as people use it: load, parse, save."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dodona import container
from dodona.container import Array
from dodona.core.action import Action
from dodona.core.actions import Actions
from dodona.core.beam import Beam
from dodona.core.features import Features
from dodona.core.greedy import Greedy
from dodona.core.packed import PackedWeights
from dodona.core.registry import system
from dodona.core.system import State
from dodona.settings import ROOT_COUNTS, Settings
from dodona.treebank.clusters import Clusters
from dodona.treebank.encoding import Encoder
from dodona.treebank.errors import BadSentence
from dodona.treebank.pseudoprojective import deprojectivise, lifted
from dodona.treebank.sentence import Sentence
from dodona.treebank.vocabulary import Vocabulary

if TYPE_CHECKING:
    from concurrent.futures import Future

KIND, VERSION = "model", 1
BATCH = 64  # sentences encoded and parsed in one go
MAX_BATCH_WORDS = 4096
CLUSTER_ARRAYS = {"clusters.words": "U8", "clusters.paths": "U8", "clusters.path_of_word": "U32"}
AHEAD = 4  # batches in flight per thread

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
        self.search = self._search(self.settings.roots, self.settings.beam)
        self._lifted = {i for i, label in enumerate(self.labels) if lifted(label)}

    def parse(self, sentence: Sentence) -> Sentence:
        """The sentence with the heads and labels that the parser gives it."""
        parsed: Sentence = self._parse_batch([sentence], self.search)[0]
        return parsed

    def trace(self, sentence: Sentence) -> list[tuple[State, Action | None]]:
        """Every state on the way to a sentence's tree, with the action that was taken there.

        The last state is final and has None. A tree that is not complete by then (words without a
        head, several roots) is completed afterwards, and crossing arcs are restored.
        """
        return self.search.trace(self.encoder.encode([sentence]))

    def pipe(
        self,
        sentences: Iterable[Item],
        *,
        threads: int = 1,
        roots: str | None = None,
        beam: int | None = None,
    ) -> Iterator[Item]:
        """Parse a stream of sentences, in order; bad ones pass through untouched.

        `roots` says how many words may hang under the root of a sentence: "one" or "many"; `beam`
        how many derivations are kept side by side. By default both are as in training.
        """
        if threads < 1:
            raise ValueError(f"at least one thread is needed, not {threads}")
        search = self.search
        if roots is not None or beam is not None:
            search = self._search(
                self.settings.roots if roots is None else roots,
                self.settings.beam if beam is None else beam,
            )
        batches = _batches(sentences)
        if threads == 1:
            return chain.from_iterable(self._parse_batch(batch, search) for batch in batches)
        return self._pipe_threads(batches, search, threads)

    def _pipe_threads(
        self, batches: Iterator[list[Any]], search: Greedy, threads: int
    ) -> Iterator[Any]:
        # imported here: it brings logging along, which one sentence should not wait for
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Future[list[Any]]] = deque()
            for batch in batches:
                waiting.append(pool.submit(self._parse_batch, batch, search))
                if len(waiting) > threads * AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()

    def _search(self, roots: str, beam: int = 1) -> Greedy:
        if roots not in ROOT_COUNTS:
            raise ValueError(f"roots is one of {', '.join(ROOT_COUNTS)}, not {roots!r}")
        parts = self.features, self.actions, self.weights
        one_root, root_label = roots == "one", self.labels.index(self.root_label)
        if beam == 1:
            return Greedy(*parts, one_root=one_root, root_label=root_label)
        return Beam(*parts, width=beam, one_root=one_root, root_label=root_label)

    def _parse_batch(self, batch: list[Any], search: Greedy) -> list[Any]:
        good = [item for item in batch if isinstance(item, Sentence)]
        corpus = self.encoder.encode(good)
        search.parse(corpus)
        parsed = self.encoder.decode(corpus, good)
        if self._lifted:
            for i, sentence in enumerate(parsed):
                if not self._lifted.isdisjoint(corpus.labels(i)):
                    heads, labels = deprojectivise(
                        [head or 0 for head in sentence.heads],
                        sentence.deprels,
                        self.settings.projectivise,
                    )
                    parsed[i] = sentence.replace(heads=heads, deprels=labels)
        if len(good) == len(batch):
            return parsed
        done = iter(parsed)
        return [next(done) if isinstance(item, Sentence) else item for item in batch]

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
        if self.encoder.clusters is not None:
            saved = zip(CLUSTER_ARRAYS.items(), self.encoder.clusters.save(), strict=True)
            arrays |= {name: Array(type_, data) for (name, type_), data in saved}
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
        clusters = None
        if CLUSTER_ARRAYS.keys() <= arrays.keys():
            clusters = Clusters.restore(*(arrays[name] for name in CLUSTER_ARRAYS))
        encoder = Encoder(columns, vocabularies, labels, clusters)
        return cls(
            settings,
            about["templates"],
            encoder,
            about["root_label"],
            pairs,
            weights,
            about["record"],
        )


def _batches(sentences: Iterable[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    n_words = 0
    for sentence in sentences:
        batch.append(sentence)
        n_words += len(bytes(sentence)) if isinstance(sentence, BadSentence) else len(sentence)
        if len(batch) == BATCH or n_words >= MAX_BATCH_WORDS:
            yield batch
            batch, n_words = [], 0
    if batch:
        yield batch
