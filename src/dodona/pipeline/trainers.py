"""Training of everything that turns raw text into trees: segmenter, tagger with lemmas, parser.

Each part is trained, left out ("none"), or taken as it is from another model. The parser learns
from predicted tags, as it will see them when it parses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, overload

from dodona.extras import require
from dodona.models.cards import Card, add_card
from dodona.parsing.linear_strategy import LinearStrategy
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.parsing.strategy import StartingPoint, Strategy
from dodona.parsing.trainer import Trainer
from dodona.pipeline.assembly import Assembly
from dodona.pipeline.fine_tuning import Base
from dodona.pipeline.sources import NONE, PartSources
from dodona.pipeline.text_trainer import TextTrainer
from dodona.settings import (
    AT_ONCE,
    AUTO,
    GOLD,
    LINEAR,
    PARSER,
    PIPELINES,
    PREDICTED,
    Settings,
    SettingsError,
)
from dodona.tagging.tagger import Tagger
from dodona.tagging.word_learning import find_tags
from dodona.training.loop import Report
from dodona.training.treebanks import Treebank
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

MORE_ALONE = (
    "more treebanks are for a network that is trained from the beginning, with its parser; a model "
    "that continues (from_) takes further treebanks as rehearse"
)


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
    more: Sequence[Treebank] = (),
    from_: str | Path = "",
    rehearse: Sequence[str | Path] = (),
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

    A network also learns from `more` treebanks, of the same language or of related ones, as far as
    their labels and tags are those of the first.

    With `from_`, the name or path of a model, training continues from it: a few hundred sentences
    suffice. It keeps more of what it knew if it rehearses treebanks, or plain text as the model
    itself parses it (`rehearse`).

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
    if more and (from_ or rehearse or parser != "train"):
        raise SettingsError(MORE_ALONE)
    if from_ or rehearse:
        base = Base.of_flags(from_, rehearse, pipeline)
        tuner = continued_trainer(train, dev, base, settings)
        return add_card(tuner.complete(*run).parser(), card)
    if parser != "train":
        return add_card(Assembly(train, dev, sources, **settings).complete(*run).model(), card)
    parts = None if pipeline == PARSER else sources
    trainer = usual_trainer(train, dev, Settings(**settings), parts, more)
    return add_card(trainer.complete(*run).parser(), card)


def usual_trainer(
    train: Treebank,
    dev: Treebank | None,
    settings: Settings,
    sources: PartSources | None = None,
    more: Sequence[Treebank] = (),
) -> Trainer | TextTrainer:
    """Return the trainer of a parser that works on words: it learns tags, if there are any.

    In contrast, `new_trainer` takes tags="auto" for gold tags, as experiments do.
    """
    if sources is None and settings.tags == AUTO and settings.linear.learner not in AT_ONCE:
        train = load_trees(train)
        if find_tags(train):
            settings = settings.replace(tags=PREDICTED)
    return new_trainer(train, dev, settings, sources, more)


def new_trainer(
    train: Treebank,
    dev: Treebank | None,
    settings: Settings,
    sources: PartSources | None = None,
    more: Sequence[Treebank] = (),
) -> Trainer | TextTrainer:
    """Return the trainer of a parser or, with `sources`, of a text pipeline.

    A segmenter learns from the first treebank alone: others may be of another language.
    """
    if sources is not None and sources.tagger != NONE:
        if settings.tags == GOLD:
            raise SettingsError(
                "tags='gold' with pipeline='text': plain text has no tags; leave the setting out, "
                "or give tagger='none' for a parser without tags"
            )
        if settings.tags == AUTO:
            settings = settings.replace(tags=PREDICTED)
    elif sources is not None:  # text has no tags, and nothing will add them
        train, dev = without_tags(train), None if dev is None else without_tags(dev)
    tagger = None if sources is None else sources.ready("tagger")
    if settings.scorer != LINEAR and tagger is not None:
        raise SettingsError("a network learns tags together with trees: it takes no other tagger")
    if settings.scorer == LINEAR and more:
        raise SettingsError("more treebanks need scorer='neural': a linear model learns from one")
    linear = settings.scorer == LINEAR
    strategy = LinearStrategy(tagger) if linear else _neural_strategy(more=more)
    trainer = Trainer(train, dev, settings, strategy)
    if sources is None:
        return trainer
    return TextTrainer(trainer, sources, load_trees(train) if more else None)


def without_tags(treebank: Treebank) -> list[Sentence]:
    """Return sentences whose tags and lemmas are missing."""
    found = []
    for sentence in load_trees(treebank):
        blank = [UNANNOTATED] * len(sentence)
        found.append(sentence.replace(upos=blank, xpos=blank, feats=blank, lemmas=blank))
    return found


def continued_trainer(
    train: Treebank, dev: Treebank | None, base: Base, settings: Mapping[str, Any]
) -> Trainer:
    """Return a trainer that continues from a model, with settings that may change."""
    chosen, parser = base.settings(**settings), base.parser
    strategy = (
        LinearStrategy(parser.tagger, parser.scorer.templates, base.start)
        if chosen.scorer == LINEAR
        else _neural_strategy(start=base.start)
    )
    return Trainer(base.with_rehearsal(train, chosen.seed), dev, chosen, strategy, parser)


def _neural_strategy(
    *, start: StartingPoint | None = None, more: Sequence[Treebank] = ()
) -> Strategy:
    require("jax", "neural")
    from dodona.training.neural.strategy import NeuralStrategy

    return NeuralStrategy(start=start, more=more)
