"""`dodona distil`: a small parser, taught by large networks that annotate raw text."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import Stop, UsageError, exit_code, say
from dodona.cli.flags import Flag
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.distilling.recipe import STEPS, Distillation, Recipe
from dodona.pipeline.parts import TRAIN
from dodona.settings import NEURAL, Settings

if TYPE_CHECKING:
    from dodona.pipeline.neural_training import NeuralTextTrainer

GOES_ON = "the same command goes on from where it was"


@with_settings()
def distil(
    treebanks: Annotated[
        list[str],
        Flag("CoNLL-U files to learn from; the first says which labels there are", positional=True),
    ],
    *,
    out: Annotated[str | None, Flag("model file to write", short="-o", default="required")] = None,
    work: Annotated[
        str | None,
        Flag("folder that keeps what is done", default="OUT.work", metavar="DIR"),
    ] = None,
    dev: Annotated[
        str | None, Flag("CoNLL-U file to choose the best epoch by", default="take the last epoch")
    ] = None,
    text: Annotated[
        str, Flag("text to annotate: files or folders, commas between", metavar="FILES")
    ] = "",
    held_out: Annotated[
        str, Flag("test sets, whose sentences are left out of the text", metavar="FILES")
    ] = "",
    silver: Annotated[
        str, Flag("annotated text that is there already, instead of --text", metavar="FILES")
    ] = "",
    segmenter: Annotated[str, Flag("train, none, or a model to take it from")] = TRAIN,
    raw: Annotated[
        str, Flag("text that the segmenter learns from, too: commas between", metavar="FILES")
    ] = "",
    abbreviations: Annotated[str, Flag("a list for it, one a line", metavar="FILE")] = "",
    lexicon: Annotated[
        str, Flag("lemmas, one a line, then tags and the forms with each", metavar="FILE")
    ] = "",
    teachers: Annotated[int, Flag("how many, who differ in their seeds")] = 1,
    teacher_epochs: Annotated[int | None, Flag("of each teacher", default="40")] = None,
    teacher_width: Annotated[
        int | None, Flag("units of its LSTMs, in each direction", default="400")
    ] = None,
    teacher_layers: Annotated[int | None, Flag("of LSTMs", default="3")] = None,
    silver_per_gold: Annotated[float, Flag("sentences of silver for each gold one")] = 2.0,
    soft: Annotated[bool, Flag("learn how probable the teachers hold heads and tags")] = False,
    votes: Annotated[
        bool, Flag("in every state, learn what is right by the tree of each teacher")
    ] = False,
    longest: Annotated[int, Flag("leave out sentences of the text with more words")] = 100,
    until: Annotated[str, Flag("stop after this step", choices=STEPS)] = STEPS[-1],
    quiet: Annotated[bool, Flag("no progress, no table")] = False,
    **settings: Any,
) -> None:
    """Train a parser for raw text on treebanks and on text that larger networks have annotated.

    Steps: segmenter, lemmas, sentences (of the text), teachers, silver (the sentences, annotated),
    student. What is done is kept in --work; the same command goes on where it was stopped. Teachers
    need a GPU to be quick, the other steps do not.
    """
    start = time.perf_counter()
    if out is None:
        raise UsageError("--out is missing: the model file to write")
    model = Path(out)
    if not model.parent.is_dir() or model.is_dir():
        raise ValueError(f"{model}: its folder does not exist, or it is one itself")
    teacher = {"epochs": teacher_epochs, "width": teacher_width, "layers": teacher_layers}
    recipe = _recipe(
        train=treebanks,
        work=Path(work) if work else model.with_name(model.name + ".work"),
        dev=dev,
        text=_split(text),
        held_out=_split(held_out),
        silver=_split(silver),
        segmenter=segmenter,
        raw=_split(raw),
        abbreviations=abbreviations,
        lexicon=lexicon,
        n_teachers=teachers,
        teacher=drop_unset(teacher),
        per_gold=silver_per_gold,
        soft=soft,
        votes=votes,
        longest=longest,
        settings=_settings(drop_unset(settings)),
    )
    try:
        _run(recipe, model, until, quiet, start)
    except KeyboardInterrupt as interrupt:
        say(f"interrupted; {GOES_ON}")
        raise Stop(exit_code(interrupt)) from None


def _recipe(**chosen: Any) -> Recipe:
    try:
        return Recipe(**chosen)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _settings(given: dict[str, Any]) -> Settings:
    if given.setdefault("scorer", NEURAL) != NEURAL:
        raise UsageError("--scorer: a student is a network")
    return Settings(**given)


def _split(names: str) -> list[str]:
    return [name for name in names.split(",") if name]


def _run(recipe: Recipe, model: Path, until: str, quiet: bool, start: float) -> None:
    work = Distillation(recipe, (lambda _: None) if quiet else say)
    work.run(until)
    if until != STEPS[-1]:
        if not quiet:
            say(f"{until}: done, in {recipe.work}")
        return
    trainer = work.student()
    _learn(work, trainer, model, quiet)
    work.with_record(trainer.parser()).save(model)
    if not quiet:
        _print_result(trainer, model, time.perf_counter() - start)


def _learn(work: Distillation, trainer: "NeuralTextTrainer", model: Path, quiet: bool) -> None:
    from dodona.cli.training_view import TrainingView

    shown = TrainingView(trainer, quiet)
    with shown:
        try:
            for epoch in work.epochs(trainer, model, shown.advance):
                shown.finish(epoch)
        except KeyboardInterrupt:
            shown.close()
            if trainer.best_epoch is not None:
                work.with_record(trainer.parser()).save(model)
                say(f"{os.fspath(model)} is the parser of epoch {trainer.best_epoch.number}")
            raise


def _print_result(trainer: "NeuralTextTrainer", model: Path, seconds: float) -> None:
    from dodona.cli.tables import n_bytes, print_pairs

    best = trainer.best_epoch
    assert best is not None  # there is a parser
    rows = [("model", str(model)), ("size", n_bytes(model.stat().st_size))]
    rows.append(("best epoch", f"{best.number} of {len(trainer.history)}"))
    rows += [(f"dev {name.upper()}", f"{score:.2f}") for name, score in best.scores.items()]
    print_pairs([*rows, ("time", f"{seconds:,.1f} s")])
