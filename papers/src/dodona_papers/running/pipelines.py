"""Jobs that train a model for raw text on a treebank and score it."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from dodona.models.cards import Card, add_card, scores_of
from dodona.parsing.calibration import calibrate
from dodona.pipeline.sources import PartSources
from dodona.pipeline.text_trainer import text_scores
from dodona.pipeline.trainers import new_trainer
from dodona.settings import Settings
from dodona.treebank.conllu.reader import read
from dodona_papers.origin import CORE
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.grid import JobResult
from dodona_papers.running.runs import load_features


@dataclass(frozen=True)
class TrainedModel(JobResult):
    """A trained model: its scores and, unless read from a record, its file.

    `dev` is the result of `scores_of`, `test` is F1 from raw text.
    """

    name: str
    dev: dict[str, float]
    test: dict[str, float]
    sha256: str  # of the file
    seconds: float
    file: bytes = field(default=b"", repr=False)

    def __str__(self) -> str:
        shown = (f"{name.replace('_', ' ')} {value:.2f}" for name, value in self.dev.items())
        return f"{self.name}: dev {', '.join(shown) or 'not scored'} in {self.seconds:.0f} s"

    def to_record(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "file"}


@dataclass(frozen=True)
class ModelJob:
    """A job: train a model on a treebank; the dev set, if any, decides the best epoch.

    Confidences are calibrated on the dev set. The test set is used only if the job `is_tested`.
    """

    treebank: TreebankFolder
    name: str
    settings: Settings
    card: Card
    is_tested: bool = False

    def key(self) -> str:
        """Return a digest of everything that decides the result."""
        parts = {
            "core": CORE,
            "name": self.name,
            "settings": self.settings.flat(),
            "templates": load_features(self.settings.resolved()),
            "data": self.treebank.checksum(),
            "card": self.card._asdict(),
            "is_tested": self.is_tested,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def run(self) -> TrainedModel:
        """Train and score the model; write nothing."""
        start = time.perf_counter()
        dev = self.treebank.part("dev") if self.treebank.has("dev") else None
        trainer = new_trainer(self.treebank.part("train"), dev, self.settings, PartSources())
        parser = add_card(trainer.complete().parser(), self.card)
        if dev is not None:
            parser = calibrate(parser, dev)
        test: dict[str, Any] = {}
        if self.is_tested and self.treebank.has("test"):
            test = text_scores(parser, list(read(self.treebank.part("test"), trees="required")))
        file = parser.to_bytes()
        return TrainedModel(
            self.key(),
            self.name,
            scores_of(parser.record),
            test,
            hashlib.sha256(file).hexdigest(),
            time.perf_counter() - start,
            file,
        )
