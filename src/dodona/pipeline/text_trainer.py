"""Training for raw text: the segmenter first, then the parser with its tagger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dodona.evaluation import EvaluationError, evaluate_text
from dodona.parsing.parser import Parser
from dodona.parsing.trainer import Trainer
from dodona.pipeline.assembly import SegmenterSource
from dodona.pipeline.sources import PartSources
from dodona.settings import TEXT
from dodona.training.loop import Learner, Run
from dodona.treebank.raw_text import raw_text
from dodona.treebank.sentence import Sentence


class TextTrainer(Run):
    """A run that trains a segmenter, where it is to be trained, and then a parser.

    The segmenter learns from `sentences`, or from those of the parser.
    """

    part = "parser"

    def __init__(
        self, trainer: Trainer, sources: PartSources, sentences: list[Sentence] | None = None
    ) -> None:
        self.trainer, self._sources = trainer, sources
        sentences, dev = sentences or trainer.task.sentences, trainer.dev or None
        self.segmenting = SegmenterSource(sources, sentences, dev, trainer.settings.seed)
        self._text_scores: tuple[int, dict[str, float]] = 0, {}  # of the epoch of that number
        self.text_problem = ""  # why the dev set cannot be scored from raw text

    def stages(self) -> Iterator[Learner[Any]]:
        if self.segmenting.trainer is not None:
            yield self.segmenting.trainer
        yield from self.trainer.stages()

    def parts(self) -> dict[str, Run]:
        segmenter = self.segmenting.trainer
        found: dict[str, Run] = {} if segmenter is None else {"segmenter": segmenter}
        return found | {"parser": self.trainer}

    def initial_settings(self) -> dict[str, Any]:
        return self.trainer.initial_settings() | {"pipeline": TEXT} | self._sources.names()

    def checksum_data(self) -> dict[str, str]:
        return self.trainer.checksum_data() | self._sources.checksums()

    def parser(self) -> Parser:
        """Return the parser of the best epoch so far, with a segmenter."""
        parser, best = self.trainer.parser(), self.trainer.best_epoch
        parser.segmenter = self.segmenting.segmenter()
        number = best.number if best else 0
        if self._text_scores[0] != number:
            self._text_scores = number, {}
            try:
                self._text_scores = number, text_scores(parser, self.trainer.dev)
            except EvaluationError as error:  # the metrics do not apply, as with missing heads
                self.text_problem = str(error)
        parser.record["dev_text"] = self._text_scores[1]
        return parser


def text_scores(parser: Parser, gold: list[Sentence]) -> dict[str, float]:
    """Return F1 of all metrics of CoNLL 2018, from the raw text of the gold sentences."""
    if parser.segmenter is None or not gold:
        return {}
    scores = evaluate_text(gold, list(parser("".join(raw_text(gold))))).to_dict()
    return {name: metric["f1"] for name, metric in scores.items() if metric}
