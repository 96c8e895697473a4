"""Training all that turns raw text into trees: segmenter, tagger with lemmas, parser.

Each part is trained, left out ("none"), or taken as it is from another model. The parser learns
from what the tagger predicts, as it will have to when it parses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast, overload

from dodona.extras import require
from dodona.learning.epochs import Report
from dodona.learning.treebanks import Treebank
from dodona.models.cards import Card, add_card
from dodona.parsing.parser import Parser
from dodona.parsing.training import Trainer
from dodona.pipeline.assembly import Assembly
from dodona.pipeline.parts import Parts
from dodona.pipeline.text import TextPipeline
from dodona.settings import LINEAR, PARSER, PIPELINES, Settings
from dodona.tagging.tagger import Tagger


@overload
def train(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    pipeline: str,
    segmenter: str = "train",
    tagger: str = "train",
    parser: Literal["none"],
    raw: Sequence[str | Path] = (),
    abbreviations: str | Path = "",
    language: str = "",
    licence: str = "",
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
    raw: Sequence[str | Path] = (),
    abbreviations: str | Path = "",
    language: str = "",
    licence: str = "",
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
    raw: Sequence[str | Path] = (),
    abbreviations: str | Path = "",
    language: str = "",
    licence: str = "",
    report: Report | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    **settings: Any,
) -> Parser | Tagger:
    """Train a parser on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.Settings`, hence every flag of `dodona train`, is a keyword. With
    `pipeline="text"` it reads raw text; `segmenter`, `tagger` and `parser` then say where its parts
    come from: "train", "none", or the path of a model. Without a parser the result is a tagger.
    The segmenter learns also from files of `raw` text, and from a list of `abbreviations`.
    `language` and `licence` are those of the data: the model records them.

    After every epoch a `checkpoint` is written to that file, from which `resume` goes on to the
    same model.
    """
    parts = Parts(segmenter, tagger, parser, tuple(map(str, raw)), str(abbreviations))
    card = Card(language, licence=licence)
    card.check()
    if pipeline not in PIPELINES:
        raise ValueError(f"pipeline is one of {', '.join(PIPELINES)}, not {pipeline!r}")
    run = report, checkpoint, resume
    if pipeline == PARSER:
        if parts != Parts():
            raise ValueError(
                "segmenter, tagger, parser, raw and abbreviations are for pipeline='text'"
            )
        trainer = trainer_of(train, dev, replace(Settings(), **settings))
        return add_card(trainer.complete(*run).parser(), card)
    if parser != "train":
        return add_card(Assembly(train, dev, parts, **settings).complete(*run).model(), card)
    trainer = trainer_of(train, dev, replace(Settings(), **settings), parts)
    return add_card(trainer.complete(*run).parser(), card)


def trainer_of(
    train: Treebank, dev: Treebank | None, settings: Settings, parts: Parts | None = None
) -> Trainer:
    """What trains a parser of these settings or, with `parts`, all of a text pipeline."""
    if settings.scorer == LINEAR:
        if parts is None:
            return Trainer(train, dev, settings)
        return TextTrainer(train, dev, settings, parts)
    require("jax", "neural")
    from dodona.pipeline.neural_training import NeuralTextTrainer, NeuralTrainer

    if parts is None:
        return cast(Trainer, NeuralTrainer(train, dev, settings))
    return cast(Trainer, NeuralTextTrainer(train, dev, settings, parts))


class TextTrainer(TextPipeline, Trainer):
    """Trains a parser for raw text: the segmenter first, then parser and tagger together."""
