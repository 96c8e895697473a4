"""`dodona tag`: words in, tags out; with --train, from a treebank to a tagger."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.annotation import annotate
from dodona.cli.errors import INTERRUPTED, Stop, UsageError, say
from dodona.cli.flags import Flag
from dodona.cli.inputs import INPUTS, read_inputs
from dodona.cli.outputs import OUTPUTS
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.models import locate
from dodona.pipeline.parts import load_tagger
from dodona.settings import TaggerSettings

if TYPE_CHECKING:
    from dodona.tagging.training import TaggerEpoch


@with_settings(of=TaggerSettings)
def tag(
    model: Annotated[
        str | None, Flag("file of a tagger, or of a parser that has one", positional=True)
    ] = None,
    inputs: Annotated[
        list[str] | None,
        Flag("files to tag, one after the other ('-': stdin, the default)", positional=True),
    ] = None,
    out: Annotated[str, Flag("file to write ('-': stdout), with --train the tagger", "-o")] = "-",
    input: Annotated[
        str | None,
        Flag("format of the input", choices=INPUTS, default="text for .txt, else conllu"),
    ] = None,
    output: Annotated[str, Flag("format of the output", choices=OUTPUTS)] = "conllu",
    threads: Annotated[int, Flag("sentences are tagged in that many threads")] = 1,
    skip_bad: Annotated[bool, Flag("pass on what is no sentence instead of stopping")] = False,
    train: Annotated[str | None, Flag("learn from this CoNLL-U file instead of tagging")] = None,
    dev: Annotated[
        str | None, Flag("CoNLL-U file to choose the best epoch by", default="take the last epoch")
    ] = None,
    **settings: Any,
) -> None:
    """Tag words with UPOS, XPOS, FEATS and lemmas, or train a tagger that does.

    Tags of the input are replaced, in the columns that the tagger knows; all else comes back as it
    was. With --train, no MODEL is given: the tagger is written to the file of -o. The settings
    below are those of training.
    """
    chosen = drop_unset(settings)
    if train is not None:
        if model is not None or out == "-":
            raise UsageError("--train F needs -o MODEL and no other file")
        _train(train, dev, Path(out), TaggerSettings(**chosen))
        return
    if model is None:
        raise UsageError("which tagger? Give MODEL, or train one: --train F -o MODEL")
    if dev is not None or chosen:
        names = ", ".join(f"--{name}" for name in (*chosen, *(["dev"] if dev else [])))
        raise UsageError(f"{names}: only for training, with --train F")
    tagger = load_tagger(locate(model))
    items = read_inputs(inputs or ["-"], input, tagger.segmenter, skip_bad)
    annotate(items, partial(tagger.pipe, threads=threads), out, output)


def _train(train: str, dev: str | None, model: Path, settings: TaggerSettings) -> None:
    from dodona.tagging.training import TaggerTrainer

    if not model.parent.is_dir():
        raise ValueError(f"{model}: the folder {model.parent} does not exist")
    trainer = TaggerTrainer(train, dev, settings)
    say(f"train: {len(trainer.sentences):,} sentences, {trainer.corpus.n_words_total:,} words")
    say(f"tasks: {', '.join(trainer.columns)}")
    try:
        for epoch in trainer.epochs():
            say(_describe(epoch, epoch is trainer.best_epoch, settings.epochs))
    except KeyboardInterrupt:
        if trainer.best_epoch is None:
            say("interrupted in the first epoch: there is no tagger to save yet")
            raise Stop(INTERRUPTED) from None
        trainer.tagger().save(model)
        say(f"interrupted: {model} is the tagger of epoch {trainer.best_epoch.number}")
        raise Stop(INTERRUPTED) from None
    trainer.tagger().save(model)


def _describe(epoch: "TaggerEpoch", is_best: bool, n_epochs: int) -> str:
    """One epoch in a line."""
    parts = [f"epoch {epoch.number:>{len(str(n_epochs))}}/{n_epochs}"]
    parts += [f"{epoch.n_updates:,} updates", f"{epoch.seconds:.1f} s"]
    if epoch.accuracy:
        scores = [f"{name.upper()} {score:.2f}" for name, score in epoch.accuracy.items()]
        parts += ["dev " + " ".join(scores)] + (["best"] if is_best else [])
    return "  ".join(parts)
