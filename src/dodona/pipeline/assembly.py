"""Segmenter and tagger for a parser that is there already, or for none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dodona.learning.checkpoint import Checkpoint
from dodona.learning.epochs import Learner, Run
from dodona.learning.treebanks import Treebank
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.pipeline.parts import Parts
from dodona.pipeline.segmenting import SegmenterSource
from dodona.settings import TEXT, Settings, TaggerSettings
from dodona.tagging.tagger import Tagger
from dodona.tagging.training import TaggerTrainer


class Assembly(Run):
    """Trains the segmenter, then the tagger, where they are to be trained."""

    part = "segmenter and tagger"

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        parts: Parts,
        *,
        seed: int = Settings.seed,
        **settings: Any,
    ) -> None:
        if settings:
            raise ValueError(
                f"{', '.join(settings)}: the parser is not trained, so this would change nothing"
            )
        self._parts, self._seed = parts, seed
        sentences = load_trees(train)
        dev_sentences = load_trees(dev) if dev is not None else None
        self.segmenting = SegmenterSource(parts, sentences, dev_sentences, seed)
        self.parser: Parser | None = parts.ready("parser")
        self._tagger: Tagger | None = parts.ready("tagger")
        self.tagger_trainer: TaggerTrainer | None = None
        if parts.is_trained("tagger"):
            self.tagger_trainer = TaggerTrainer(sentences, dev_sentences, TaggerSettings(seed=seed))

    def stages(self) -> Iterator[Learner[Any]]:
        for trainer in (self.segmenting.trainer, self.tagger_trainer):
            if trainer is not None:
                yield trainer

    def parts(self) -> dict[str, Run]:
        runs = {"segmenter": self.segmenting.trainer, "tagger": self.tagger_trainer}
        return {name: run for name, run in runs.items() if run is not None}

    def began_with(self) -> dict[str, Any]:
        return {"pipeline": TEXT, "seed": self._seed, **self._parts.names()}

    def checksum_data(self) -> dict[str, str]:
        return self._parts.checksums()

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        for name, run in self.parts().items():
            run.restore(saved.parts[name])

    def model(self) -> Parser | Tagger:
        """What the parts make together."""
        segmenter = self.segmenting.segmenter()
        tagger = self.tagger_trainer.tagger() if self.tagger_trainer else self._tagger
        if self.parser is not None:
            return replace(self.parser, tagger=tagger, segmenter=segmenter)
        assert tagger is not None  # Parts has seen to that
        return replace(tagger, segmenter=segmenter)
