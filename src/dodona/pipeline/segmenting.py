"""The segmenter of a pipeline: trained first, taken from another model, or none."""

from __future__ import annotations

from dodona.pipeline.sources import PartSources
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.segmenter_training import SegmenterTrainer
from dodona.settings import SegmenterSettings
from dodona.treebank.sentence import Sentence


class SegmenterSource:
    """The source of the segmenter; `trainer` is None if it is not trained."""

    def __init__(
        self, sources: PartSources, train: list[Sentence], dev: list[Sentence] | None, seed: int
    ) -> None:
        self.trainer: SegmenterTrainer | None = None
        self._ready: Segmenter | None = sources.ready("segmenter")
        if sources.is_trained("segmenter"):
            settings = SegmenterSettings(seed=seed)
            self.trainer = SegmenterTrainer(train, dev, settings, sources.sources)

    def segmenter(self) -> Segmenter | None:
        """Return the segmenter after all its epochs; its bias is searched for once."""
        if self._ready is None and self.trainer is not None:
            self._ready = self.trainer.segmenter()
        return self._ready
