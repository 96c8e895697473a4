"""Training of a segmenter and a tagger for a parser that exists already, or for none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.pipeline.sources import PartSources
from dodona.segmentation.lexicon_learning import Sources
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.segmenter_training import SegmenterTrainer
from dodona.settings import TEXT, SegmenterSettings, Settings, SettingsError, TaggerSettings
from dodona.tagging.tagger import Tagger
from dodona.tagging.tagger_training import TaggerTrainer
from dodona.training.loop import Learner, Run
from dodona.training.treebanks import Treebank
from dodona.treebank.sentence import Sentence


class SegmenterSource:
    """The segmenter of a pipeline: trained by `trainer`, taken from another model, or none."""

    def __init__(
        self, sources: PartSources, train: list[Sentence], dev: list[Sentence] | None, seed: int
    ) -> None:
        self.trainer: SegmenterTrainer | None = None
        self._ready: Segmenter | None = sources.ready("segmenter")
        if sources.is_trained("segmenter"):
            beside = Sources(sources.raw, sources.abbreviations)
            settings = SegmenterSettings(seed=seed, size=sources.segmenter_size)
            self.trainer = SegmenterTrainer(train, dev, settings, beside)

    def segmenter(self) -> Segmenter | None:
        """Return the segmenter after all its epochs; its bias is searched for once."""
        if self._ready is None and self.trainer is not None:
            self._ready = self.trainer.segmenter()
        return self._ready


class Assembly(Run):
    """A run that trains the segmenter, then the tagger, where they are to be trained."""

    part = "segmenter and tagger"

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        sources: PartSources,
        *,
        seed: int = Settings.seed,
        **settings: Any,
    ) -> None:
        if settings:
            raise SettingsError(
                f"{', '.join(settings)}: the parser is not trained, so this would change nothing"
            )
        seed = SegmenterSettings(seed=seed).seed  # checked, and a plain number
        self._sources, self._seed = sources, seed
        sentences = load_trees(train)
        dev_sentences = load_trees(dev) if dev is not None else None
        self.segmenting = SegmenterSource(sources, sentences, dev_sentences, seed)
        self.parser, self._tagger = sources.ready("parser"), sources.ready("tagger")
        self.tagger_trainer: TaggerTrainer | None = None
        if sources.is_trained("tagger"):
            self.tagger_trainer = TaggerTrainer(sentences, dev_sentences, TaggerSettings(seed=seed))

    def stages(self) -> Iterator[Learner[Any]]:
        for trainer in (self.segmenting.trainer, self.tagger_trainer):
            if trainer is not None:
                yield trainer

    def parts(self) -> dict[str, Run]:
        runs = {"segmenter": self.segmenting.trainer, "tagger": self.tagger_trainer}
        return {name: run for name, run in runs.items() if run is not None}

    def initial_settings(self) -> dict[str, Any]:
        return {"pipeline": TEXT, "seed": self._seed, **self._sources.names()}

    def checksum_data(self) -> dict[str, str]:
        return self._sources.checksums()

    def model(self) -> Parser | Tagger:
        """Return the parser or tagger with all parts."""
        segmenter = self.segmenting.segmenter()
        tagger = self.tagger_trainer.tagger() if self.tagger_trainer else self._tagger
        if self.parser is not None:
            scorer = self.parser.scorer.with_tagger(tagger)
            return replace(self.parser, scorer=scorer, segmenter=segmenter)
        assert tagger is not None  # PartSources has checked that
        return replace(tagger, segmenter=segmenter)
