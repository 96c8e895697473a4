"""Training all that turns raw text into trees: segmenter, tagger with lemmas, parser.

Each part is trained, left out ("none"), or taken as it is from another model. The parser learns
from what the tagger predicts, as it will have to when it parses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, overload

from dodona.evaluation import EvaluationError, evaluate_text
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import Treebank, load
from dodona.parsing.training import Progress, Trainer
from dodona.parsing.training import train as train_parser
from dodona.pipeline.parts import NONE, Parts
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.training import SegmenterEpoch, SegmenterTrainer
from dodona.settings import PARSER, PIPELINES, SegmenterSettings, Settings, TaggerSettings
from dodona.tagging.tagger import Tagger
from dodona.tagging.training import TaggerTrainer
from dodona.treebank.raw_text import raw_text
from dodona.treebank.sentence import Sentence

Report = Callable[[SegmenterEpoch], None]


@overload
def train(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    pipeline: str,
    segmenter: str = "train",
    tagger: str = "train",
    parser: Literal["none"],
    report: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Tagger: ...
@overload
def train(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    pipeline: str = PARSER,
    segmenter: str = "train",
    tagger: str = "train",
    parser: str = "train",
    report: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Parser: ...
def train(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    pipeline: str = PARSER,
    segmenter: str = "train",
    tagger: str = "train",
    parser: str = "train",
    report: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Parser | Tagger:
    """Train a parser on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.Settings`, hence every flag of `dodona train`, is a keyword. With
    `pipeline="text"` it reads raw text; `segmenter`, `tagger` and `parser` then say where its parts
    come from: "train", "none", or the path of a model. Without a parser the result is a tagger.
    """
    parts = Parts(segmenter, tagger, parser)
    if pipeline not in PIPELINES:
        raise ValueError(f"pipeline is one of {', '.join(PIPELINES)}, not {pipeline!r}")
    if pipeline == PARSER:
        if parts != Parts():
            raise ValueError("segmenter, tagger and parser are for pipeline='text'")
        return train_parser(train, dev, report=report, **settings)
    if parser != "train":
        return assemble(train, dev, parts, **settings)
    trainer = TextTrainer(train, dev, replace(Settings(), **settings), parts)
    for _ in trainer.epochs(report):
        pass
    return trainer.parser()


class TextTrainer(Trainer):
    """Trains a parser for raw text: the segmenter first, then parser and tagger together."""

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        parts: Parts | None = None,
        report: Report | None = None,
    ) -> None:
        parts = parts or Parts()
        sentences = load(train)
        dev_sentences = load(dev) if dev is not None else None
        if parts.tagger != NONE and settings.tags == Settings.tags:
            settings = replace(settings, tags="predicted")
        self.segmenter = _segmenter(sentences, dev_sentences, parts, settings.seed, report)
        self._text_scores: tuple[int, dict[str, float]] = 0, {}  # of an epoch
        self.text_problem = ""  # why the dev set cannot be scored from raw text
        super().__init__(sentences, dev_sentences, settings, tagger=parts.ready("tagger"))

    def parser(self) -> Parser:
        """The parser of the best epoch so far, with a segmenter."""
        parser = super().parser()
        parser.segmenter = self.segmenter
        number = self.best_epoch.number if self.best_epoch else 0
        if self._text_scores[0] != number:
            self._text_scores = number, self._scored(parser)
        parser.record["dev_text"] = self._text_scores[1]
        return parser

    def _scored(self, parser: Parser) -> dict[str, float]:
        """Nothing where the metrics do not apply, as with heads left open: the parser is good."""
        try:
            return text_scores(parser, self.dev)
        except EvaluationError as error:
            self.text_problem = str(error)
            return {}


def assemble(
    train: Treebank,
    dev: Treebank | None,
    parts: Parts,
    report: Report | None = None,
    *,
    seed: int = Settings.seed,
    **settings: Any,
) -> Parser | Tagger:
    """A parser that is taken as it is, or none, beside a segmenter and a tagger."""
    if settings:
        raise ValueError(
            f"{', '.join(settings)}: the parser is not trained, so this would change nothing"
        )
    sentences = load(train)
    dev_sentences = load(dev) if dev is not None else None
    segmenter = _segmenter(sentences, dev_sentences, parts, seed, report)
    tagger: Tagger | None = parts.ready("tagger")
    if parts.is_trained("tagger"):
        trainer = TaggerTrainer(sentences, dev_sentences, TaggerSettings(seed=seed))
        for _ in trainer.epochs():
            pass
        tagger = trainer.tagger()
    parser: Parser | None = parts.ready("parser")
    if parser is not None:
        return replace(parser, tagger=tagger, segmenter=segmenter)
    assert tagger is not None  # Parts has seen to that
    return replace(tagger, segmenter=segmenter)


def text_scores(parser: Parser, gold: list[Sentence]) -> dict[str, float]:
    """F1 of all that CoNLL 2018 measures, from the raw text of the gold sentences."""
    if parser.segmenter is None or not gold:
        return {}
    scores = evaluate_text(gold, list(parser("".join(raw_text(gold))))).to_dict()
    return {name: metric["f1"] for name, metric in scores.items() if metric}


def _segmenter(
    sentences: list[Sentence],
    dev: list[Sentence] | None,
    parts: Parts,
    seed: int,
    report: Report | None,
) -> Segmenter | None:
    if not parts.is_trained("segmenter"):
        ready: Segmenter | None = parts.ready("segmenter")
        return ready
    trainer = SegmenterTrainer(sentences, dev, SegmenterSettings(seed=seed))
    for epoch in trainer.epochs():
        if report:
            report(epoch)
    return trainer.segmenter()
