"""The training loop: epochs, the choice of the best one, interruption and resumption.

A learner defines one epoch, what it has learned by then, its scores on the dev set, and its state.
The loop is the same for parsers, taggers, segmenters and teachers.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from dodona.logs import info
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import reporting_damage
from dodona.training.checkpoint import ADVICE, KIND, Checkpoint, TrainingState

Learned = TypeVar("Learned")  # what would be saved as a model
Item = TypeVar("Item")
AnyRun = TypeVar("AnyRun", bound="Run")


@dataclass(frozen=True)
class Epoch:
    """The result of one pass over the training data; scores are those on the dev set."""

    part: str  # the learner: "parser", "graph parser", "tagger", "segmenter" …
    number: int
    n_updates: int
    seconds: float
    words_per_second: float
    scores: dict[str, float] = field(default_factory=dict)  # by name; empty without a dev set
    is_best: bool = False  # among all epochs so far

    @property
    def uas(self) -> float | None:
        """The UAS of a parser (for graphs, unlabelled F1); None without a dev set."""
        return self.scores.get("UAS", self.scores.get("F1"))

    @property
    def las(self) -> float | None:
        """The LAS of a parser (for graphs, ELAS); None without a dev set."""
        return self.scores.get("LAS", self.scores.get("ELAS"))


@dataclass(frozen=True)
class Progress:
    """The progress of training: within an epoch, or at the end of one, if `epoch` is given."""

    part: str
    epoch_number: int
    n_epochs: int
    n_done: int
    n_sentences: int  # for a segmenter, pieces of text
    words_per_second: float
    n_updates: int
    epoch: Epoch | None = None


Report = Callable[[Progress], None]


def at_epochs(report: Callable[[Epoch], None] | None) -> Report:
    """Return a report of progress that calls `report`, if given, at the end of each epoch."""

    def at_progress(progress: Progress) -> None:
        if report is not None and progress.epoch is not None:
            report(progress.epoch)

    return at_progress


class Run(ABC):
    """A training run of one learner, or of several in turn. `epochs` runs it."""

    part: str  # the name of the run in an `Epoch`

    @abstractmethod
    def stages(self) -> Iterator[Learner[Any]]:
        """Yield the learners in turn, each after all epochs of the one before."""

    @abstractmethod
    def initial_settings(self) -> dict[str, Any]:
        """Return the settings, which a resumed run must not change, except for epochs."""

    @abstractmethod
    def checksum_data(self) -> dict[str, str]:
        """Return checksums of the training data."""

    def parts(self) -> Mapping[str, Run]:
        """Return the runs within this one whose state has to be kept by now."""
        return {}

    def epochs(
        self, report: Report | None = None, checkpoint: str | Path | None = None
    ) -> Iterator[Epoch]:
        """Run the remaining epochs one at a time; write a checkpoint after each."""
        for stage in self.stages():
            for epoch in stage.own_epochs(report or (lambda _: None)):
                if checkpoint is not None:
                    self.save_checkpoint(checkpoint)
                info("%s, epoch %d: %s", epoch.part, epoch.number, epoch.scores or "no dev set")
                yield epoch

    def complete(
        self: AnyRun,
        report: Report | None = None,
        checkpoint: str | Path | None = None,
        resume: str | Path | None = None,
    ) -> AnyRun:
        """Run all remaining epochs, from the checkpoint `resume` if it is given."""
        if resume is not None:
            self.resume(resume)
        for _ in self.epochs(report, checkpoint):
            pass
        return self

    def save_checkpoint(self, path: str | Path) -> None:
        """Write a file from which the run can be resumed, to the same bits."""
        self.checkpoint().save(Path(path))

    def resume(self, path: str | Path) -> None:
        """Continue the run of a checkpoint, which must have the same data and settings."""
        saved = Checkpoint.load(Path(path))
        with reporting_damage(path, KIND, ADVICE):
            self.restore(saved)

    def checkpoint(self) -> Checkpoint:
        """Return the present state of the run and of the runs within it."""
        parts = {name: part.checkpoint() for name, part in self.parts().items()}
        return Checkpoint(self.part, self.initial_settings(), self.checksum_data(), parts=parts)

    def restore(self, saved: Checkpoint) -> None:
        """Continue from a state, in this run and in those within it."""
        saved.check(self.part, self.initial_settings(), self.checksum_data())
        for name, part in self.parts().items():
            part.restore(saved.parts[name])


class EpochSettings(Protocol):
    """Settings of a learner: a dataclass with a number of epochs."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def epochs(self) -> int:
        """The number of passes over the training data."""


class Learner(Run, Generic[Learned]):
    """A run with epochs of its own, the best of which is kept."""

    settings: EpochSettings
    n_pieces: int  # sentences of an epoch (for a segmenter, pieces of text) …
    n_words: int  # … and words

    def __init__(self) -> None:
        self.history: list[Epoch] = []
        self.best: Learned | None = None
        self.best_epoch: Epoch | None = None

    @abstractmethod
    def learn_epoch(self, number: int) -> Iterator[int]:
        """Learn from all data once; yield now and then the number of pieces done."""

    @abstractmethod
    def average(self) -> Learned:
        """Return what was learned so far."""

    @abstractmethod
    def score(self, learned: Learned) -> dict[str, float]:
        """Return scores on the dev set by name; none without a dev set."""

    @abstractmethod
    def state(self) -> TrainingState:
        """Return what a checkpoint has to keep."""

    @abstractmethod
    def load_state(self, state: TrainingState) -> None:
        """Continue from the state of a checkpoint."""

    @property
    @abstractmethod
    def n_updates(self) -> int:
        """The number of updates of the weights so far."""

    @property
    def patience(self) -> int:
        """The number of epochs without improvement after which training stops; 0: never."""
        return 0

    def rate(self, scores: Mapping[str, float]) -> float:
        """Return the figure by which the best epoch is chosen: the mean of the scores."""
        return sum(scores.values()) / max(len(scores), 1)

    def keep(self, learned: Learned, epoch: Epoch) -> None:
        """Keep what was learned if the epoch is the best so far."""
        if epoch.is_best:
            self.best = learned

    def initial_settings(self) -> dict[str, Any]:
        return asdict(self.settings)

    def stages(self) -> Iterator[Learner[Any]]:
        yield self

    @property
    def is_complete(self) -> bool:
        """Whether no epoch is left."""
        n_done, best = len(self.history), self.best_epoch
        is_stale = best and best.scores and n_done - best.number >= self.patience > 0
        return n_done >= self.settings.epochs or bool(is_stale)

    def own_epochs(self, report: Report) -> Iterator[Epoch]:
        """Run the remaining epochs of this learner alone."""
        while not self.is_complete:
            yield self._run_epoch(len(self.history) + 1, report)

    def _run_epoch(self, number: int, report: Report) -> Epoch:
        start, before = time.perf_counter(), self.n_updates

        def make_report(n_done: int, seconds: float, epoch: Epoch | None = None) -> None:
            speed = n_done / self.n_pieces * self.n_words / seconds
            at = number, self.settings.epochs, n_done, self.n_pieces
            report(Progress(self.part, *at, speed, self.n_updates - before, epoch))

        for n_done in self.learn_epoch(number):
            make_report(n_done, time.perf_counter() - start)
        seconds = time.perf_counter() - start
        n_updates, learned = self.n_updates - before, self.average()
        scores = self.score(learned)
        best = self.best_epoch
        is_best = best is None or not scores or self.rate(scores) > self.rate(best.scores)
        speed = self.n_words / seconds
        epoch = Epoch(self.part, number, n_updates, seconds, speed, scores, is_best)
        self.keep(learned, epoch)
        self.history.append(epoch)
        self.best_epoch = epoch if is_best else best
        make_report(self.n_pieces, seconds, epoch)
        return epoch

    def checkpoint(self) -> Checkpoint:
        saved = super().checkpoint()
        saved.history = [asdict(epoch) for epoch in self.history]
        saved.best_epoch = self.best_epoch.number if self.best_epoch else 0
        saved.state = self.state()
        return saved

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        self.history = [_epoch(entry) for entry in saved.history]
        if not 0 <= saved.best_epoch <= len(self.history):
            raise ValueError(f"the best epoch is {saved.best_epoch} of {len(self.history)}")
        self.best_epoch = self.history[saved.best_epoch - 1] if saved.best_epoch else None
        self.load_state(saved.state)


def _epoch(entry: Mapping[str, Any]) -> Epoch:
    """Return an epoch from its entry in a checkpoint."""
    scores = read_field(entry, "scores", dict)
    return Epoch(
        read_field(entry, "part", str),
        read_field(entry, "number", int),
        read_field(entry, "n_updates", int),
        read_field(entry, "seconds", float),
        read_field(entry, "words_per_second", float),
        {name: read_field(scores, name, float) for name in scores},
        read_field(entry, "is_best", bool),
    )


def in_chunks(items: Sequence[Item], size: int) -> Iterator[tuple[Sequence[Item], int]]:
    """Yield chunks of items, each with the number of items up to its end.

    >>> [(list(some), n_done) for some, n_done in in_chunks([1, 2, 3], 2)]
    [([1, 2], 2), ([3], 3)]
    """
    for i in range(0, len(items), size):
        yield items[i : i + size], min(i + size, len(items))
