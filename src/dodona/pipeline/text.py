"""What training for raw text adds to that of a parser, be it linear or a network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dodona.evaluation import EvaluationError, evaluate_text
from dodona.learning.checkpoint import Checkpoint
from dodona.learning.epochs import Learner, Run
from dodona.learning.treebanks import Treebank
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.pipeline.parts import NONE, Parts
from dodona.pipeline.segmenting import SegmenterSource
from dodona.settings import TEXT, Settings
from dodona.treebank.raw_text import raw_text
from dodona.treebank.sentence import Sentence

Base: Any = object  # a trainer of parsers is the other base, and knows all that is asked of it


class TextPipeline(Base):  # type: ignore[misc]
    """The first of two bases: the segmenter comes first, the other trains all the rest."""

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        parts: Parts | None = None,
        **also: Any,
    ) -> None:
        self._parts = parts or Parts()
        sentences = load_trees(train)
        dev_sentences = load_trees(dev) if dev is not None else None
        if self._parts.tagger != NONE and settings.tags == Settings.tags:
            settings = replace(settings, tags="predicted")
        self.segmenting = SegmenterSource(self._parts, sentences, dev_sentences, settings.seed)
        self._text_scores: tuple[int, dict[str, float]] = 0, {}  # of an epoch
        self.text_problem = ""  # why the dev set cannot be scored from raw text
        tagger = self._parts.ready("tagger")
        super().__init__(sentences, dev_sentences, settings, tagger=tagger, **also)

    def stages(self) -> Iterator[Learner[Any]]:
        if self.segmenting.trainer is not None:
            yield self.segmenting.trainer
        yield from super().stages()

    def parts(self) -> dict[str, Run]:
        trainer = self.segmenting.trainer
        runs: dict[str, Run] = super().parts()
        return runs | ({} if trainer is None else {"segmenter": trainer})

    def began_with(self) -> dict[str, Any]:
        settings: dict[str, Any] = super().began_with()
        return settings | {"pipeline": TEXT} | self._parts.names()

    def checksum_data(self) -> dict[str, str]:
        found: dict[str, str] = super().checksum_data()
        return found | self._parts.checksums()

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        if self.segmenting.trainer is not None:
            self.segmenting.trainer.restore(saved.parts["segmenter"])

    def parser(self) -> Parser:
        """The parser of the best epoch so far, with a segmenter."""
        parser: Parser = super().parser()
        parser.segmenter = self.segmenting.segmenter()
        number = self.best_epoch.number if self.best_epoch else 0
        if self._text_scores[0] != number:
            self._text_scores = number, self._score_text(parser)
        parser.record["dev_text"] = self._text_scores[1]
        return parser

    def _score_text(self, parser: Parser) -> dict[str, float]:
        """Nothing where the metrics do not apply, as with heads left open: the parser is good."""
        try:
            return text_scores(parser, self.dev)
        except EvaluationError as error:
            self.text_problem = str(error)
            return {}


def text_scores(parser: Parser, gold: list[Sentence]) -> dict[str, float]:
    """F1 of all that CoNLL 2018 measures, from the raw text of the gold sentences."""
    if parser.segmenter is None or not gold:
        return {}
    scores = evaluate_text(gold, list(parser("".join(raw_text(gold))))).to_dict()
    return {name: metric["f1"] for name, metric in scores.items() if metric}
