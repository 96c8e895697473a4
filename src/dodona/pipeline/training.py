"""Training all that turns raw text into trees: segmenter, tagger with lemmas, parser.

Each part is trained, left out ("none"), or taken as it is from another model. The parser learns
from what the tagger predicts, as it will have to when it parses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, overload

from dodona.evaluation import EvaluationError, evaluate_text
from dodona.learning.checkpoint import Checkpoint
from dodona.learning.epochs import Learner, Report, Run
from dodona.learning.treebanks import Treebank
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.parsing.training import Trainer
from dodona.pipeline.assembly import Assembly
from dodona.pipeline.parts import NONE, Parts
from dodona.pipeline.segmenting import SegmenterSource
from dodona.settings import PARSER, PIPELINES, TEXT, Settings
from dodona.tagging.tagger import Tagger
from dodona.treebank.raw_text import raw_text
from dodona.treebank.sentence import Sentence


@overload
def train(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    pipeline: str,
    segmenter: str = "train",
    tagger: str = "train",
    parser: Literal["none"],
    report: Report | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
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
    report: Report | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
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
    report: Report | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    **settings: Any,
) -> Parser | Tagger:
    """Train a parser on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.Settings`, hence every flag of `dodona train`, is a keyword. With
    `pipeline="text"` it reads raw text; `segmenter`, `tagger` and `parser` then say where its parts
    come from: "train", "none", or the path of a model. Without a parser the result is a tagger.

    After every epoch a `checkpoint` is written to that file, from which `resume` goes on to the
    same model.
    """
    parts = Parts(segmenter, tagger, parser)
    if pipeline not in PIPELINES:
        raise ValueError(f"pipeline is one of {', '.join(PIPELINES)}, not {pipeline!r}")
    run = report, checkpoint, resume
    if pipeline == PARSER:
        if parts != Parts():
            raise ValueError("segmenter, tagger and parser are for pipeline='text'")
        return Trainer(train, dev, replace(Settings(), **settings)).complete(*run).parser()
    if parser != "train":
        return Assembly(train, dev, parts, **settings).complete(*run).model()
    return TextTrainer(train, dev, replace(Settings(), **settings), parts).complete(*run).parser()


class TextTrainer(Trainer):
    """Trains a parser for raw text: the segmenter first, then parser and tagger together."""

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        parts: Parts | None = None,
    ) -> None:
        self._parts = parts or Parts()
        sentences = load_trees(train)
        dev_sentences = load_trees(dev) if dev is not None else None
        if self._parts.tagger != NONE and settings.tags == Settings.tags:
            settings = replace(settings, tags="predicted")
        self.segmenting = SegmenterSource(self._parts, sentences, dev_sentences, settings.seed)
        self._text_scores: tuple[int, dict[str, float]] = 0, {}  # of an epoch
        self.text_problem = ""  # why the dev set cannot be scored from raw text
        super().__init__(sentences, dev_sentences, settings, tagger=self._parts.ready("tagger"))

    def stages(self) -> Iterator[Learner[Any]]:
        if self.segmenting.trainer is not None:
            yield self.segmenting.trainer
        yield from super().stages()

    def parts(self) -> dict[str, Run]:
        trainer = self.segmenting.trainer
        return super().parts() | ({} if trainer is None else {"segmenter": trainer})

    def began_with(self) -> dict[str, Any]:
        return super().began_with() | {"pipeline": TEXT} | self._parts.names()

    def checksum_data(self) -> dict[str, str]:
        return super().checksum_data() | self._parts.checksums()

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        if self.segmenting.trainer is not None:
            self.segmenting.trainer.restore(saved.parts["segmenter"])

    def parser(self) -> Parser:
        """The parser of the best epoch so far, with a segmenter."""
        parser = super().parser()
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
