"""The seam between the trainer of parsers and what learns: linear weights, or a network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from dodona.core.learning.static_oracle import seen_actions
from dodona.core.search.actions import Actions
from dodona.core.transitions.registry import system
from dodona.core.transitions.system import System
from dodona.parsing.preparation import TrainingData, prepare, prepare_graphs
from dodona.parsing.scorers import ParserScorer
from dodona.settings import ENHANCED, Settings, SettingsError
from dodona.training.checkpoint import TrainingState
from dodona.training.loop import Learner, Run
from dodona.training.treebanks import Treebank, checksum
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence

# of a class: ids of move and label, and whether its arcs hang under the root, or elsewhere
Pair: TypeAlias = tuple[int, int, bool, bool]


@dataclass(frozen=True)
class StartingPoint:
    """The scorer and the classes of a model from which training continues."""

    scorer: ParserScorer
    pairs: Sequence[Pair]
    name: str
    checksum: str  # of the model file


class ParsingTask:
    """What any strategy learns: an encoded treebank, and the actions that derive it."""

    def __init__(
        self,
        settings: Settings,
        sentences: list[Sentence],
        dev: list[Sentence],
        templates: str,
        encoder: Encoder,
        files: Mapping[str, Iterable[bytes]],
        known: Sequence[Pair] = (),
    ) -> None:
        """Encode a treebank; `files` is other training data, which checksums must cover.

        The classes of a model that training continues from are `known`.
        """
        self.settings: Settings = settings.replace(  # names of files without their folders
            features=Path(settings.features).name,
            clusters=Path(settings.linear.clusters).name,
            vectors=Path(settings.network.vectors).name,
        )
        self.sentences, self.dev, self.templates = sentences, dev, templates
        own = {"train": map(bytes, sentences), "dev": map(bytes, dev)}
        parts = {**own, "templates": [templates.encode()], **files}
        self.checksums = {name: checksum(part) for name, part in parts.items()}
        self.data: TrainingData = (
            prepare_graphs(sentences, encoder)
            if settings.graph == ENHANCED
            else prepare(sentences, encoder, settings)
        )
        try:
            self.system: System = system(
                settings.system,
                labels=[label.decode() for label in encoder.labels],
                root=settings.root,
                loss=settings.loss,
                static_oracle=settings.static_oracle,
                root_label=self.data.root_label,
                exact_words=settings.exact_words,
            )
        except ValueError as error:  # such as an oracle that the system does not have
            raise SettingsError(str(error)) from error
        seen = seen_actions(self.system, self.data.corpus, self.data.order)
        self.pairs = extend_pairs(known, seen)
        self.actions = Actions(self.system, self.pairs)


def extend_pairs(known: Sequence[Pair], seen: Sequence[Pair]) -> list[Pair]:
    """Return the known classes, then new ones; an arc may hang wherever it did in either list.

    >>> extend_pairs([(0, -1, False, False), (1, 4, False, True)], [(1, 4, True, False)])
    [(0, -1, False, False), (1, 4, True, True)]
    """
    found = {pair[:2]: pair for pair in known}
    for move, label, under_root, elsewhere in seen:
        before = found.get((move, label), (move, label, False, False))
        found[move, label] = move, label, before[2] or under_root, before[3] or elsewhere
    return list(found.values())


def similar_labels(old: Sequence[bytes], new: Sequence[bytes]) -> dict[int, int]:
    """Return for each new label its universal part among the old labels, if it is there.

    >>> similar_labels([b"nmod", b"obj"], [b"nmod", b"obj", b"nmod:desc", b"dep"])
    {2: 0}
    """
    number = {label: i for i, label in enumerate(old)}
    universal = {i: label.partition(b":")[0] for i, label in enumerate(new) if label not in number}
    return {i: number[label] for i, label in universal.items() if label in number}


def similar_classes(
    known: Sequence[Pair], pairs: Sequence[Pair], like: Mapping[int, int]
) -> dict[int, int]:
    """Return for each new class the known one with the same move and a similar label, if any.

    >>> old = [(0, -1, False, False), (1, 0, False, True)]
    >>> similar_classes(old, [*old, (1, 2, False, True)], {2: 0})
    {2: 1}
    """
    class_of = {pair[:2]: c for c, pair in enumerate(known)}
    found = {}
    for c, (move, label, *_) in list(enumerate(pairs))[len(known) :]:
        model = class_of.get((move, like.get(label, label)))
        if model is not None:
            found[c] = model
    return found


@dataclass(frozen=True)
class LearnedScorer:
    """The scorer after an epoch, and what a checkpoint has to keep of it."""

    scorer: ParserScorer
    kept: TrainingState


class Strategy(ABC):
    """One way to train a scorer, driven by a `Trainer`, which calls `begin` first."""

    n_pieces: int  # sentences and words of an epoch
    n_words: int
    start: StartingPoint | None = None  # if training continues from another model

    @abstractmethod
    def begin(self, train: Treebank, dev: list[Sentence], settings: Settings) -> ParsingTask:
        """Read the training data and prepare to learn."""

    @abstractmethod
    def learn_epoch(self, number: int) -> Iterator[int]:
        """Learn from all data once; yield now and then the number of sentences done."""

    @property
    @abstractmethod
    def n_updates(self) -> int:
        """The number of updates so far."""

    @abstractmethod
    def snapshot(self) -> LearnedScorer:
        """Return the scorer as learned so far, averaged."""

    @abstractmethod
    def state(self) -> TrainingState:
        """Return what a checkpoint has to keep, apart from the best scorer."""

    @abstractmethod
    def load_state(self, state: TrainingState) -> LearnedScorer | None:
        """Continue from a checkpoint; return the best scorer in it, if any."""

    @abstractmethod
    def linear_settings(self) -> Settings:
        """Return the settings of linear parsers whose trees graphs are learned from."""

    def stages(self) -> Iterator[Learner[Any]]:
        """Yield the learners whose epochs come before those of the parser."""
        yield from ()

    def runs(self) -> dict[str, Run]:
        """Return the runs whose checkpoints are part of the parser's, by name."""
        return {}

    def initial_settings(self) -> dict[str, Any]:
        """Return settings beside those of the parser, which a resumed run must not change."""
        return {}

    def record(self) -> dict[str, Any]:
        """Return entries for the model's record beside those of every parser."""
        if self.start is None:
            return {}
        return {"continued_from": {"model": self.start.name, "sha256": self.start.checksum}}
