"""One model for raw text: train all its parts on a treebank, score it, and hand over its file."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from dodona.models.cards import Card, add_card, scores_of
from dodona.pipeline.sources import PartSources
from dodona.pipeline.text_trainer import text_scores
from dodona.pipeline.trainers import new_trainer
from dodona.settings import Settings
from dodona.treebank.conllu.reader import read
from dodona_papers.origin import CORE
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.runs import load_features


@dataclass(frozen=True)
class TrainedModel:
    """What came of a job: scores and, if it was not read from a line of results, the file.

    `dev` is as `scores_of` has it, `test` F1 from raw text.
    """

    key: str
    name: str
    dev: dict[str, float]
    test: dict[str, float]
    sha256: str  # of the file
    seconds: float
    file: bytes = field(default=b"", repr=False)

    def __str__(self) -> str:
        shown = (f"{name.replace('_', ' ')} {value:.2f}" for name, value in self.dev.items())
        return f"{self.name}: dev {', '.join(shown) or 'not scored'} in {self.seconds:.0f} s"

    def to_json(self) -> str:
        """One line of JSON; the file is kept elsewhere."""
        return json.dumps({k: v for k, v in asdict(self).items() if k != "file"})

    @classmethod
    def from_json(cls, line: str) -> TrainedModel:
        """The result in a line of JSON."""
        return cls(**json.loads(line))


@dataclass(frozen=True)
class ModelJob:
    """A model to be trained on a treebank; the dev set chooses the best epoch where there is one.

    The test set is looked at only if the job `is_tested`.
    """

    treebank: TreebankFolder
    name: str
    settings: Settings
    card: Card
    is_tested: bool = False

    def key(self) -> str:
        """A digest of all that decides its result."""
        parts = {
            "core": CORE,
            "name": self.name,
            "settings": asdict(self.settings),
            "templates": load_features(self.settings.resolved()),
            "data": self.treebank.checksum(),
            "card": self.card._asdict(),
            "is_tested": self.is_tested,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def run(self) -> TrainedModel:
        """Train and score; nothing is written."""
        start = time.perf_counter()
        dev = self.treebank.part("dev") if self.treebank.has("dev") else None
        trainer = new_trainer(self.treebank.part("train"), dev, self.settings, PartSources())
        parser = add_card(trainer.complete().parser(), self.card)
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
