"""Training runs, whatever learns: epochs, the choice of the best, interruption and going on.

A learner says how one epoch is done, what it has learned by then, how good that is on the dev set,
and what its state is. All the rest is the same for parsers, taggers and segmenters.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from dodona.learning.checkpoint import ADVICE, KIND, Checkpoint, State
from dodona.logs import info
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import reporting_damage

Learned = TypeVar("Learned")  # what would be saved
Item = TypeVar("Item")
AnyRun = TypeVar("AnyRun", bound="Run")


@dataclass(frozen=True)
class Epoch:
    """What one pass over the training data brought; the scores are those on the dev set."""

    part: str  # what learned: "parser", "graph parser", "tagger", "segmenter"
    number: int
    n_updates: int
    seconds: float
    words_per_second: float
    scores: dict[str, float] = field(default_factory=dict)  # by name; none without a dev set
    is_best: bool = False  # of all up to this one

    @property
    def uas(self) -> float | None:
        """Of a parser, attachment without labels (of graphs, F1); None without a dev set."""
        return self.scores.get("UAS", self.scores.get("F1"))

    @property
    def las(self) -> float | None:
        """Of a parser, attachment with labels (of graphs, ELAS); None without a dev set."""
        return self.scores.get("LAS", self.scores.get("ELAS"))


@dataclass(frozen=True)
class Progress:
    """Where training stands: in the middle of an epoch, or (`epoch` given) at the end of one."""

    part: str
    epoch_number: int
    n_epochs: int
    n_done: int
    n_sentences: int  # of a segmenter: pieces of the text
    words_per_second: float
    n_updates: int
    epoch: Epoch | None = None


Report = Callable[[Progress], None]


def at_epochs(report: Callable[[Epoch], None] | None) -> Report:
    """A report that is made at the end of each epoch only, if there is one to be made."""

    def tell(progress: Progress) -> None:
        if report is not None and progress.epoch is not None:
            report(progress.epoch)

    return tell


class Run(ABC):
    """One training run, of one learner or of several in turn. `epochs` runs it."""

    part: str  # what learns, as an `Epoch` names it

    @abstractmethod
    def stages(self) -> Iterator[Learner[Any]]:
        """The learners, one after the other; each when all epochs of that before are done."""

    @abstractmethod
    def began_with(self) -> dict[str, Any]:
        """The settings, which a run keeps until its end, but for the number of epochs."""

    @abstractmethod
    def checksum_data(self) -> dict[str, str]:
        """Checksums of what is learned from."""

    def parts(self) -> Mapping[str, Run]:
        """The runs within this one that have something to keep by now."""
        return {}

    def epochs(
        self, report: Report | None = None, checkpoint: str | Path | None = None
    ) -> Iterator[Epoch]:
        """Run the epochs that are left, one at a time; after each, a checkpoint is written."""
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
        """Run all that is left, where `resume` is given from that checkpoint on."""
        if resume is not None:
            self.resume(resume)
        for _ in self.epochs(report, checkpoint):
            pass
        return self

    def save_checkpoint(self, path: str | Path) -> None:
        """Write all that is needed to go on from here to the same bits."""
        self.checkpoint().save(Path(path))

    def resume(self, path: str | Path) -> None:
        """Take up the run of a checkpoint: these data, and these settings but for the epochs."""
        saved = Checkpoint.load(Path(path))
        with reporting_damage(path, KIND, ADVICE):
            self.restore(saved)

    def checkpoint(self) -> Checkpoint:
        """Where the run stands."""
        parts = {name: part.checkpoint() for name, part in self.parts().items()}
        return Checkpoint(self.part, self.began_with(), self.checksum_data(), parts=parts)

    def restore(self, saved: Checkpoint) -> None:
        """Go on from there."""
        saved.check(self.part, self.began_with(), self.checksum_data())


class Learner(Run, Generic[Learned]):
    """A run with epochs of its own, the best of which is kept."""

    settings: Any
    n_pieces: int  # an epoch learns from so many sentences (of a segmenter, pieces of text) …
    n_words: int  # … and words

    def __init__(self) -> None:
        self.history: list[Epoch] = []
        self.best: Learned | None = None
        self.best_epoch: Epoch | None = None

    @abstractmethod
    def learn_epoch(self, number: int) -> Iterator[int]:
        """One pass over the data; tells now and then how much of it is done."""

    @abstractmethod
    def average(self) -> Learned:
        """What was learned so far."""

    @abstractmethod
    def score(self, learned: Learned) -> dict[str, float]:
        """How good it is on the dev set, by name; nothing where there is none."""

    @abstractmethod
    def state(self) -> State:
        """What a checkpoint has to keep."""

    @abstractmethod
    def go_on(self, state: State) -> None:
        """Take up a state."""

    @property
    @abstractmethod
    def n_updates(self) -> int:
        """How often the weights have changed."""

    @property
    def patience(self) -> int:
        """Stop after this many epochs without a better one; 0: never."""
        return 0

    def rate(self, scores: Mapping[str, float]) -> float:
        """What the best epoch is chosen by: the mean of the scores."""
        return sum(scores.values()) / max(len(scores), 1)

    def keep(self, learned: Learned, epoch: Epoch) -> None:
        """Keep what was learned if the epoch is the best so far."""
        if epoch.is_best:
            self.best = learned

    def began_with(self) -> dict[str, Any]:
        return asdict(self.settings)

    def stages(self) -> Iterator[Learner[Any]]:
        yield self

    @property
    def is_complete(self) -> bool:
        """Whether no epoch is left."""
        return len(self.history) >= self.settings.epochs or self._is_stale()

    def _is_stale(self) -> bool:
        if not self.patience or self.best_epoch is None or not self.best_epoch.scores:
            return False
        return len(self.history) - self.best_epoch.number >= self.patience

    def own_epochs(self, report: Report) -> Iterator[Epoch]:
        """Run the epochs of this learner alone."""
        while not self.is_complete:
            yield self._run_epoch(len(self.history) + 1, report)

    def _run_epoch(self, number: int, report: Report) -> Epoch:
        start, before = time.perf_counter(), self.n_updates

        def tell(n_done: int, seconds: float, epoch: Epoch | None = None) -> None:
            speed = n_done / self.n_pieces * self.n_words / seconds
            place = number, self.settings.epochs, n_done, self.n_pieces
            report(Progress(self.part, *place, speed, self.n_updates - before, epoch))

        for n_done in self.learn_epoch(number):
            tell(n_done, time.perf_counter() - start)
        seconds = time.perf_counter() - start
        epoch = self._finish(number, self.n_updates - before, seconds)
        tell(self.n_pieces, seconds, epoch)
        return epoch

    def _finish(self, number: int, n_updates: int, seconds: float) -> Epoch:
        """Score what was learned, and keep the best."""
        learned = self.average()
        scores = self.score(learned)
        best = self.best_epoch
        is_best = best is None or not scores or self.rate(scores) > self.rate(best.scores)
        speed = self.n_words / seconds
        epoch = Epoch(self.part, number, n_updates, seconds, speed, scores, is_best)
        self.keep(learned, epoch)
        self.history.append(epoch)
        self.best_epoch = epoch if is_best else best
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
            raise ValueError(f"epoch {saved.best_epoch} of {len(self.history)} is the best")
        self.best_epoch = self.history[saved.best_epoch - 1] if saved.best_epoch else None
        self.go_on(saved.state)


def _epoch(entry: Mapping[str, Any]) -> Epoch:
    """An epoch as a checkpoint has it."""
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
    """Some items after the others, each time with how many are done by then.

    >>> [(list(some), n_done) for some, n_done in in_chunks([1, 2, 3], 2)]
    [([1, 2], 2), ([3], 3)]
    """
    for i in range(0, len(items), size):
        yield items[i : i + size], min(i + size, len(items))
