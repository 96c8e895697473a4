"""Jobs that train a parser and score it on the test set.

The parser of the last epoch is scored. The dev set only gives the learning curve, so that all runs
of a comparison are trained equally long.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
from dodona_papers.running.grid import JobResult

# A further measure of a parser on the test set, as JSON data: a function of a module, since it is
# pickled for other processes.
Measure = Callable[[Parser, list[Sentence]], dict[str, Any]]
# A measure of training, called last: it may continue with the trainer, but not with the parser.
TrainingMeasure = Callable[[Trainer, Parser, list[Sentence]], dict[str, Any]]
# A transformation of every sentence before it is used, such as removing labels.
Rewrite = Callable[[Sentence], Sentence]


@dataclass(frozen=True)
class Result(JobResult):
    """The result of a job.

    `test` has counts for each key of SCORED, `measured` the results of the job's measures. `curve`
    and `uas_curve` are dev LAS and UAS after each epoch, `n_updates` and `cpu_seconds` those of
    each epoch of training. `commit` is that of the build, if built from a repository.
    """

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

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Result:
        test = {name: Counts(**counts) for name, counts in record["test"].items()}
        return cls(**(record | {"test": test}))


@dataclass(frozen=True)
class Job:
    """A job: train and score a parser; `variant` names its settings in the comparison."""

    treebank: TreebankFolder
    variant: str
    settings: Settings
    measure: Measure | None = None
    measure_training: TrainingMeasure | None = None
    prepare: Rewrite | None = None

    def key(self) -> str:
        """Return a digest of the job's name and everything that decides its result."""
        parts = {
            "core": CORE,
            "treebank": self.treebank.name,
            "variant": self.variant,
            "settings": self.settings.replace(clusters="").flat(),
            "clusters": _digest(self.settings.linear.clusters),
            "templates": load_features(self.settings.resolved()),
            "data": self.treebank.checksum(),
            "measure": self.measure and self.measure.__qualname__,
        }
        for name in ("measure_training", "prepare"):
            if function := getattr(self, name):
                parts[name] = function.__qualname__
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def run(self) -> Result:
        """Train a parser, parse the test set and count; write nothing."""
        start = time.perf_counter()
        # no dev set: the trainer then keeps the parser of the last epoch, not of the best
        train = self._sentences("train") if self.prepare else self.treebank.part("train")
        trainer = new_trainer(train, None, self.settings).trainer
        dev, test = self._sentences("dev"), self._sentences("test")
        scores, cpu_seconds = [], []
        before = time.process_time()
        for epoch in trainer.epochs():
            if epoch.part == "lemmas":  # trained first, and not scored
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
            settings=self.settings.flat(),
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
        """Return the sentences of train, dev or test, transformed by `prepare`."""
        sentences = read(self.treebank.part(part), trees="required")
        return list(map(self.prepare, sentences) if self.prepare else sentences)


def list_jobs(
    treebanks: Sequence[TreebankFolder], variants: dict[str, Settings], seeds: Sequence[int]
) -> list[Job]:
    """Return a job for every seed, treebank and variant, in this order."""
    return [
        Job(treebank, name, settings.replace(seed=seed))
        for seed in seeds
        for treebank in treebanks
        for name, settings in variants.items()
    ]


def load_features(settings: Settings) -> str:
    """Return the text of the templates or slots that a model uses."""
    load = load_templates if settings.scorer == LINEAR else load_slots
    return load(settings.features)


def _digest(path: str) -> str:
    """Return a digest of a file's contents, or "" for no file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
