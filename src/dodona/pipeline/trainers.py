"""Training of everything that turns raw text into trees: segmenter, tagger with lemmas, parser.

Each part is trained, left out ("none"), or taken as it is from another model. The parser learns
from predicted tags, as it will see them when it parses.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, overload

from dodona.extras import require
from dodona.models.cards import Card, add_card
from dodona.parsing.linear_strategy import LinearStrategy
from dodona.parsing.parser import Parser
from dodona.parsing.strategy import Strategy
from dodona.parsing.trainer import Trainer
from dodona.pipeline.assembly import Assembly
from dodona.pipeline.sources import NONE, PartSources
from dodona.pipeline.text_trainer import TextTrainer
from dodona.settings import LINEAR, PARSER, PIPELINES, Settings, SettingsError
from dodona.tagging.tagger import Tagger
from dodona.training.loop import Report
from dodona.training.treebanks import Treebank


@overload
def train(
    train: Treebank, dev: Treebank | None = None, *, parser: Literal["none"], **settings: Any
) -> Tagger: ...
@overload
def train(
    train: Treebank, dev: Treebank | None = None, *, parser: str = "train", **settings: Any
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
    segmenter_size: int = 0,
    language: str = "",
    licence: str = "",
    report: Report | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    **settings: Any,
) -> Parser | Tagger:
    """Train a parser on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.Settings`, hence every flag of `dodona train`, is a keyword. With
    `pipeline="text"` the parser reads raw text; `segmenter`, `tagger` and `parser` then name the
    sources of its parts: "train", "none", or the path of a model. Without a parser the result is a
    tagger. The segmenter also learns from files of `raw` text and a list of `abbreviations`; with a
    `segmenter_size`, it takes at most so many kB. The model records `language` and `licence` of the
    data.

    A `checkpoint` is written to that file after every epoch; `resume` continues from one, to the
    same model.
    """
    files = tuple(map(str, raw)), str(abbreviations)
    sources = PartSources(segmenter, tagger, parser, *files, segmenter_size)
    card = Card(language, licence=licence)
    card.check()
    if pipeline not in PIPELINES:
        raise SettingsError(f"pipeline is one of {', '.join(PIPELINES)}, not {pipeline!r}")
    if pipeline == PARSER and sources != PartSources():
        needing = "segmenter, tagger, parser, raw, abbreviations and segmenter_size"
        raise SettingsError(f"{needing} need pipeline='text'")
    run = report, checkpoint, resume
    if parser != "train":
        return add_card(Assembly(train, dev, sources, **settings).complete(*run).model(), card)
    parts = None if pipeline == PARSER else sources
    trainer = new_trainer(train, dev, Settings(**settings), parts)
    return add_card(trainer.complete(*run).parser(), card)


def new_trainer(
    train: Treebank,
    dev: Treebank | None,
    settings: Settings,
    sources: PartSources | None = None,
) -> Trainer | TextTrainer:
    """Return the trainer of a parser or, with `sources`, of a text pipeline."""
    if sources is not None and sources.tagger != NONE and settings.tags == Settings.tags:
        settings = settings.replace(tags="predicted")
    tagger = None if sources is None else sources.ready("tagger")
    strategy: Strategy = LinearStrategy(tagger)
    if settings.scorer != LINEAR:
        require("jax", "neural")
        from dodona.training.neural.strategy import NeuralStrategy

        if tagger is not None:
            raise SettingsError(
                "a network learns tags together with trees: it takes no other tagger"
            )
        strategy = NeuralStrategy()
    trainer = Trainer(train, dev, settings, strategy)
    return trainer if sources is None else TextTrainer(trainer, sources)
