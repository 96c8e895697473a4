"""One run: train a parser, parse the test set, count what is right.

The last epoch's parser is the one that is scored. The dev set gives the learning curve and decides
nothing, so that all runs of a comparison are trained equally long.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dodona.core.features.templates import load_templates
from dodona.core.network.slot_language import load_slots
from dodona.parsing.parser import Parser
from dodona.parsing.trainer import Trainer
from dodona.pipeline.trainers import new_trainer
from dodona.settings import LINEAR, Settings
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from dodona_papers.origin import COMMIT, CORE
from dodona_papers.running.counts import SCORED, Counts, count
from dodona_papers.running.data import TreebankFolder

# What a paper wants to know of a parser beside its scores: asked with the test set, answered with
# what JSON can hold. A function of a module, since it travels to other processes.
Measure = Callable[[Parser, list[Sentence]], dict[str, Any]]
# The same of its training. Asked last: it may go on with the trainer, but not with the parser.
TrainingMeasure = Callable[[Trainer, Parser, list[Sentence]], dict[str, Any]]
# What becomes of every sentence before it is used, such as to lose its labels.
Rewrite = Callable[[Sentence], Sentence]


@dataclass(frozen=True)
class Result:
    """What came of a job.

    `test` is by what is scored, `curve` the dev LAS after each epoch, `measured` what the job's
    measures answered. The lists are by epoch: dev UAS, updates, and seconds that the processor
    spent on training. `commit` is that of the build, if it was built from a repository.
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
    commit: str = ""

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.settings["seed"])

    def __str__(self) -> str:
        scores = self.test["words"].attachment
        return (
            f"{self.treebank} {self.variant} seed {self.seed}: "
            f"UAS {scores.uas:.2f} LAS {scores.las:.2f} in {self.seconds:.0f} s"
        )

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Result:
        """The result in a line of JSON."""
        given = json.loads(line)
        given["test"] = {name: Counts(**counts) for name, counts in given["test"].items()}
        return cls(**given)


@dataclass(frozen=True)
class Job:
    """A parser to be trained and scored; `variant` is what the comparison calls its settings."""

    treebank: TreebankFolder
    variant: str
    settings: Settings
    measure: Measure | None = None
    measure_training: TrainingMeasure | None = None
    prepare: Rewrite | None = None

    def key(self) -> str:
        """A digest of what it is called and of all that decides its result."""
        parts = {
            "core": CORE,
            "treebank": self.treebank.name,
            "variant": self.variant,
            "settings": asdict(replace(self.settings, clusters="")),
            "clusters": _digest(self.settings.clusters),
            "templates": load_features(self.settings.resolved()),
            "data": self.treebank.checksum(),
            "measure": self.measure and self.measure.__qualname__,
        }
        for name in ("measure_training", "prepare"):
            if function := getattr(self, name):
                parts[name] = function.__qualname__
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def run(self) -> Result:
        """Train, parse and count; nothing is written."""
        start = time.perf_counter()
        # no dev set for the trainer: its parser is then that of the last epoch, not of the best
        train = self._sentences("train") if self.prepare else self.treebank.part("train")
        trainer = new_trainer(train, None, self.settings).trainer
        dev, test = self._sentences("dev"), self._sentences("test")
        scores, cpu_seconds = [], []
        before = time.process_time()
        for epoch in trainer.epochs():
            if epoch.part == "lemmas":  # which come first, and are not scored
                continue
            cpu_seconds.append(time.process_time() - before)
            parsed = list(trainer.parser().pipe(dev, retag=True))
            scores.append(count(dev, parsed, punctuation=False).attachment)
            before = time.process_time()
        parser = trainer.parser()
        parsed = list(parser.pipe(test, retag=True))
        measured = self.measure(parser, test) if self.measure else {}
        if self.measure_training:
            measured |= self.measure_training(trainer, parser, test)
        return Result(
            key=self.key(),
            treebank=self.treebank.name,
            variant=self.variant,
            settings=asdict(self.settings),
            curve=[score.las for score in scores],
            test={name: count(test, parsed, punctuation=p) for name, p in SCORED.items()},
            measured=measured,
            seconds=time.perf_counter() - start,
            uas_curve=[score.uas for score in scores],
            n_updates=[epoch.n_updates for epoch in trainer.history],
            cpu_seconds=cpu_seconds,
            commit=COMMIT,
        )

    def _sentences(self, part: str) -> list[Sentence]:
        """Those of train, dev or test, each as `prepare` makes it."""
        sentences = read(self.treebank.part(part), trees="required")
        return list(map(self.prepare, sentences) if self.prepare else sentences)


def list_jobs(
    treebanks: Sequence[TreebankFolder], variants: dict[str, Settings], seeds: Sequence[int]
) -> list[Job]:
    """Every treebank with every variant and every seed; a whole comparison seed by seed."""
    return [
        Job(treebank, name, replace(settings, seed=seed))
        for seed in seeds
        for treebank in treebanks
        for name, settings in variants.items()
    ]


def load_features(settings: Settings) -> str:
    """What the model sees of a state, as text."""
    load = load_templates if settings.scorer == LINEAR else load_slots
    return load(settings.features)


def _digest(path: str) -> str:
    """Of a file's contents, wherever it lies."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
