"""One run: train a parser, parse the test set, count what is right.

The last epoch's parser is the one that is scored. The dev set gives the learning curve and decides
nothing, so that all runs of a comparison are trained equally long.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dodona.core.features.templates import load_templates
from dodona.evaluation.counts import Arcs, percentage
from dodona.evaluation.pairs import Parsed, pair
from dodona.experiments.running.data import TreebankFolder
from dodona.parsing.parser import Parser
from dodona.parsing.training import Trainer
from dodona.settings import Settings
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import nonprojective_arcs

# What a paper wants to know of a parser beside its scores: asked with the test set, answered with
# what JSON can hold. A function of a module, since it travels to other processes.
Measure = Callable[[Parser, list[Sentence]], dict[str, Any]]
# The same of its training. Asked last: it may go on with the trainer, but not with the parser.
TrainingMeasure = Callable[[Trainer, Parser, list[Sentence]], dict[str, Any]]
# What becomes of every sentence before it is used, such as to lose its labels.
Preparation = Callable[[Sentence], Sentence]

# What is scored: without punctuation, as papers before Universal Dependencies do, or with it.
SCORED = {"words": False, "all": True}


@dataclass(frozen=True)
class Job:
    """A parser to be trained and scored; `variant` is what the comparison calls its settings."""

    treebank: TreebankFolder
    variant: str
    settings: Settings
    measure: Measure | None = None
    measure_training: TrainingMeasure | None = None
    prepare: Preparation | None = None

    def key(self) -> str:
        """A digest of what it is called and of all that decides its result."""
        parts = {
            "version": version("dodona"),
            "treebank": self.treebank.name,
            "variant": self.variant,
            "settings": asdict(replace(self.settings, clusters="")),
            "clusters": _digest(self.settings.clusters),
            "templates": load_templates(self.settings.resolved().features),
            "data": self.treebank.checksum(),
            "measure": self.measure and self.measure.__qualname__,
        }
        for name in ("measure_training", "prepare"):
            if function := getattr(self, name):
                parts[name] = function.__qualname__
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def sentences(self, part: str) -> list[Sentence]:
        """Those of train, dev or test, prepared."""
        sentences = read(self.treebank.part(part), trees="required")
        return list(map(self.prepare, sentences) if self.prepare else sentences)


def _digest(path: str) -> str:
    """Of a file's contents, wherever it lies."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""


@dataclass(frozen=True)
class Counts:
    """Per sentence of the test set: words scored, with the right head, and label too.

    `nonprojective` counts labelled arcs of all sentences, as `Arcs` does: gold, the system's,
    gold arcs found, system's arcs that are right.
    """

    n_words: list[int]
    n_attached: list[int]
    n_labelled: list[int]
    nonprojective: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    @property
    def uas(self) -> float:
        """Percentage of words with the right head."""
        return percentage(sum(self.n_attached), sum(self.n_words))

    @property
    def las(self) -> float:
        """Percentage of words with the right head and label."""
        return percentage(sum(self.n_labelled), sum(self.n_words))

    @property
    def precision(self) -> float:
        """Percentage of the system's non-projective arcs that are right, with their labels."""
        return Arcs(*self.nonprojective).precision

    @property
    def recall(self) -> float:
        """Percentage of the gold non-projective arcs that were found, with their labels."""
        return Arcs(*self.nonprojective).recall

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall of non-projective arcs."""
        return Arcs(*self.nonprojective).f1

    def right(self, metric: str) -> list[int]:
        """Words that are right by "uas" or "las", per sentence."""
        return {"uas": self.n_attached, "las": self.n_labelled}[metric]


@dataclass(frozen=True)
class Result:
    """What came of a job.

    `test` is by what is scored, `curve` the dev LAS after each epoch, `measured` what the job's
    measures answered. The lists at the end are by epoch: dev UAS, updates, and seconds that the
    processor spent on training.
    """

    key: str
    treebank: str
    variant: str
    settings: dict[str, Any]
    curve: list[float]
    test: dict[str, Counts]
    measured: dict[str, Any]
    seconds: float
    uas_curve: list[float] = field(default_factory=list)
    n_updates: list[int] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.settings["seed"])

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Result:
        """The result in a line of JSON; anything else is a ValueError."""
        try:
            given = json.loads(line)
            given["test"] = {name: Counts(**counts) for name, counts in given["test"].items()}
            names = [f.name for f in fields(cls) if f.default_factory is MISSING or f.name in given]
            return cls(**{name: given[name] for name in names})
        except (KeyError, TypeError) as error:
            raise ValueError(f"no result of a run: {error}") from error


def run(job: Job) -> Result:
    """Train, parse and count; nothing is written."""
    start = time.perf_counter()
    # no dev set for the trainer: its parser is then that of the last epoch, not of the best
    train = job.sentences("train") if job.prepare else job.treebank.part("train")
    trainer = Trainer(train, None, job.settings)
    dev, test = job.sentences("dev"), job.sentences("test")
    scores, cpu_seconds = [], []
    before = time.process_time()
    for _ in trainer.epochs():
        cpu_seconds.append(time.process_time() - before)
        scores.append(count(dev, list(trainer.parser().pipe(dev, retag=True)), punctuation=False))
        before = time.process_time()
    parser = trainer.parser()
    parsed = list(parser.pipe(test, retag=True))
    measured = job.measure(parser, test) if job.measure else {}
    if job.measure_training:
        measured |= job.measure_training(trainer, parser, test)
    return Result(
        key=job.key(),
        treebank=job.treebank.name,
        variant=job.variant,
        settings=asdict(job.settings),
        curve=[score.las for score in scores],
        test={name: count(test, parsed, punctuation=p) for name, p in SCORED.items()},
        measured=measured,
        seconds=time.perf_counter() - start,
        uas_curve=[score.uas for score in scores],
        n_updates=[epoch.n_updates for epoch in trainer.history],
        cpu_seconds=cpu_seconds,
    )


def count(gold: Sequence[Parsed], system: Sequence[Parsed], *, punctuation: bool) -> Counts:
    """Score sentence by sentence; what counts as a word is as in `dodona.evaluate`."""
    counts = Counts([], [], [])
    for sentence in pair(gold, system, punctuation=punctuation):
        heads, labels = sentence.gold.heads, sentence.gold.deprels
        guesses, guessed_labels = sentence.system.heads, sentence.system.deprels
        attached = [i for i in sentence.words if guesses[i] == heads[i]]
        counts.n_words.append(len(sentence.words))
        counts.n_attached.append(len(attached))
        labelled = [i for i in attached if guessed_labels[i] == labels[i]]
        counts.n_labelled.append(len(labelled))
        for j, tree in enumerate((heads, guesses)):
            crossing = {word - 1 for word in nonprojective_arcs([head or 0 for head in tree])}
            counts.nonprojective[j] += len(crossing.intersection(sentence.words))
            counts.nonprojective[j + 2] += len(crossing.intersection(labelled))
    return counts
