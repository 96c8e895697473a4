"""`dodona distil`: train a small parser on text that large networks have annotated."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import Stop, UsageError, exit_code, say
from dodona.cli.flags import DevFile, Flag, ModelFile
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.cli.training_output import TrainingView
from dodona.distilling.recipe import STEPS, Distillation, Recipe
from dodona.pipeline.sources import TRAIN
from dodona.records import fields
from dodona.settings import NEURAL, LinearSettings, Settings

if TYPE_CHECKING:
    from dodona.pipeline.text_trainer import TextTrainer

CONTINUES = "repeat the command to continue"


@with_settings(without=("tags", *(part.name for part in fields(LinearSettings))), scorer=NEURAL)
def distil(
    treebanks: Annotated[
        list[str], Flag("CoNLL-U files to train on; the first defines the labels", positional=True)
    ],
    *,
    out: ModelFile = None,
    work: Annotated[
        str | None, Flag("folder of completed steps", default="OUT.work", metavar="DIR")
    ] = None,
    dev: DevFile = None,
    text: Annotated[
        str, Flag("text to annotate: files or folders, separated by commas", metavar="FILES")
    ] = "",
    held_out: Annotated[
        str, Flag("test sets, whose sentences are excluded from the text", metavar="FILES")
    ] = "",
    silver: Annotated[
        str, Flag("text that is already annotated, instead of --text", metavar="FILES")
    ] = "",
    by: Annotated[
        str,
        Flag(
            "models that annotate the text by vote, instead of teachers: names or files, separated "
            "by commas",
            metavar="MODELS",
        ),
    ] = "",
    segmenter: Annotated[
        str, Flag("train, none, or a model that has one", metavar="SOURCE")
    ] = TRAIN,
    raw: Annotated[
        str, Flag("further text for the segmenter, separated by commas", metavar="FILES")
    ] = "",
    abbreviations: Annotated[
        str, Flag("abbreviations for the segmenter, one per line", metavar="FILE")
    ] = "",
    segmenter_size: Annotated[
        int, Flag("largest size of the segmenter in kB; 0: no limit", metavar="N")
    ] = 0,
    lemma_size: Annotated[
        int, Flag("largest size of the weights of lemmas in kB; 0: no limit", metavar="N")
    ] = 0,
    lexicon: Annotated[
        str, Flag("lexicon: a lemma per line, with tags and their forms", metavar="FILE")
    ] = "",
    harmony: Annotated[
        str, Flag("decisions about words that the treebanks annotate differently", metavar="FILE")
    ] = "",
    teachers: Annotated[
        int | None, Flag("number of teachers, with different seeds", default="1 for each encoder")
    ] = None,
    encoder: Annotated[
        str,
        Flag(
            "pretrained transformers under the teachers, in turn: folders or names on a model hub, "
            "separated by commas",
            metavar="FOLDERS",
        ),
    ] = "",
    teacher_epochs: Annotated[
        int | None, Flag("training epochs of each teacher", default="30")
    ] = None,
    teacher_width: Annotated[
        int | None, Flag("units of a teacher's LSTMs, per direction", default="400")
    ] = None,
    teacher_layers: Annotated[int | None, Flag("LSTM layers of a teacher", default="3")] = None,
    teacher_batch: Annotated[
        int | None, Flag("words in a training batch of a teacher", default="5000")
    ] = None,
    encoder_rate: Annotated[
        float | None, Flag("learning rate of the encoders", default="0.0001")
    ] = None,
    silver_per_gold: Annotated[float, Flag("silver sentences per gold sentence")] = 2.0,
    soft: Annotated[bool, Flag("learn the teachers' probabilities of heads and tags")] = False,
    votes: Annotated[bool, Flag("learn in every state from the tree of each teacher")] = False,
    variants: Annotated[
        float, Flag("share of sentences to learn in another casing or without punctuation")
    ] = 0.0,
    longest: Annotated[int, Flag("exclude sentences of the text with more words")] = 100,
    until: Annotated[str, Flag("stop after this step", choices=STEPS)] = STEPS[-1],
    quiet: Annotated[bool, Flag("print no progress and no result")] = False,
    **settings: Any,
) -> None:
    """Train a parser for raw text on treebanks and on text annotated by larger networks.

    The steps are: segmenter, lemmas, sentences (of the text), teachers, silver (the annotated
    sentences), student. Completed steps are kept in --work, and repeating the command continues
    after them. Only the training of teachers profits from a GPU.
    """
    start = time.perf_counter()
    if out is None:
        raise UsageError("--out is missing: give the model file to write")
    model = Path(out)
    if not model.parent.is_dir() or model.is_dir():
        raise ValueError(
            f"{model}: cannot be written: its folder does not exist, or it is a folder"
        )
    encoders = _split(encoder)
    teacher = {
        "epochs": teacher_epochs,
        "width": teacher_width,
        "layers": teacher_layers,
        "batch_words": teacher_batch,
        "encoder_rate": encoder_rate,
    }
    given = drop_unset(settings)
    if given.setdefault("scorer", NEURAL) != NEURAL:
        raise UsageError("--scorer must be neural: the student is a network")
    student = Settings(**given)
    try:
        recipe = Recipe(
            train=treebanks,
            work=Path(work) if work else model.with_name(model.name + ".work"),
            dev=dev,
            text=_split(text),
            held_out=_split(held_out),
            silver=_split(silver),
            by=_split(by),
            segmenter=segmenter,
            raw=_split(raw),
            abbreviations=abbreviations,
            segmenter_size=segmenter_size,
            lemma_size=lemma_size,
            lexicon=lexicon,
            harmony=harmony,
            n_teachers=max(len(encoders), 1) if teachers is None else teachers,
            encoders=encoders,
            teacher=drop_unset(teacher),
            per_gold=silver_per_gold,
            soft=soft,
            votes=votes,
            variants=variants,
            longest=longest,
            settings=student,
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    try:
        _run(recipe, model, until, quiet, start)
    except KeyboardInterrupt as interrupt:
        say(f"interrupted; {CONTINUES}")
        raise Stop(exit_code(interrupt)) from None


def _split(names: str) -> list[str]:
    return [name for name in names.split(",") if name]


def _run(recipe: Recipe, model: Path, until: str, quiet: bool, start: float) -> None:
    work = Distillation(recipe, (lambda _: None) if quiet else say)
    work.run(until)
    if until != STEPS[-1]:
        if not quiet:
            say(f"completed {until} in {recipe.work}")
        return
    trainer = work.student()
    _learn(work, trainer, model, quiet)
    work.with_record(trainer.parser()).save(model)
    if not quiet:
        _print_result(trainer, model, time.perf_counter() - start)


def _learn(work: Distillation, trainer: "TextTrainer", model: Path, quiet: bool) -> None:
    shown = TrainingView(trainer.trainer, quiet)
    with shown:
        try:
            for epoch in work.epochs(trainer, model, shown.advance):
                shown.finish(epoch)
        except KeyboardInterrupt:
            shown.close()
            if (best := trainer.trainer.best_epoch) is not None:
                work.with_record(trainer.parser()).save(model)
                say(f"saved the parser of epoch {best.number} as {os.fspath(model)}")
            raise


def _print_result(trainer: "TextTrainer", model: Path, seconds: float) -> None:
    from dodona.cli.tables import n_bytes, print_pairs

    best, history = trainer.trainer.best_epoch, trainer.trainer.history
    assert best is not None  # there is a parser
    rows = [("model", str(model)), ("size", n_bytes(model.stat().st_size))]
    rows.append(("best epoch", f"{best.number} of {len(history)}"))
    rows += [(f"dev {name.upper()}", f"{score:.2f}") for name, score in best.scores.items()]
    print_pairs([*rows, ("time", f"{seconds:,.1f} s")])
