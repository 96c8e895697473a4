"""The segmenter of a pipeline: trained first, or taken from another model, or none."""

from __future__ import annotations

from dodona.pipeline.parts import Parts
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.segmenter_training import SegmenterTrainer
from dodona.settings import SegmenterSettings
from dodona.treebank.sentence import Sentence


class SegmenterSource:
    """Where the segmenter comes from; `trainer` is None where it is not trained."""

    def __init__(
        self, parts: Parts, train: list[Sentence], dev: list[Sentence] | None, seed: int
    ) -> None:
        self.trainer: SegmenterTrainer | None = None
        self._ready: Segmenter | None = parts.ready("segmenter")
        if parts.is_trained("segmenter"):
            settings = SegmenterSettings(seed=seed)
            self.trainer = SegmenterTrainer(train, dev, settings, parts.sources)

    def segmenter(self) -> Segmenter | None:
        """The segmenter, all of whose epochs are done; its bias is looked for once."""
        if self._ready is None and self.trainer is not None:
            self._ready = self.trainer.segmenter()
        return self._ready
