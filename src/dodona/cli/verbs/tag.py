"""`dodona tag`: tag words or, with --train, train a tagger."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import (
    Checkpoint,
    DevFile,
    Encoding,
    Flag,
    Mapped,
    Resume,
    RulesFile,
    SkipBad,
    Threads,
)
from dodona.cli.input_files import UTF8
from dodona.cli.inputs import GUESSED, INPUTS, SentenceReader
from dodona.cli.output_names import choose_format
from dodona.cli.outputs import OUTPUTS, annotate
from dodona.cli.runs import TextRun
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.cli.training_output import TrainingOutput, describe_epoch
from dodona.cli.verbs.parse import split_off_model
from dodona.models import locate
from dodona.pipeline.sources import load_tagger
from dodona.rules.lookup import get_rules
from dodona.settings import TaggerSettings


@with_settings(of=TaggerSettings)
def tag(
    model: Annotated[str | None, Flag("tagger, or parser with a tagger", positional=True)] = None,
    inputs: Annotated[
        list[str] | None, Flag("files or folders to tag ('-': stdin, the default)", positional=True)
    ] = None,
    out: Annotated[
        str, Flag("file to write ('-': stdout), or a folder; with --train, the tagger", short="-o")
    ] = "-",
    input: Annotated[
        str | None, Flag("format of the input", choices=INPUTS, default=GUESSED)
    ] = None,
    encoding: Encoding = UTF8,
    output: Annotated[
        str | None, Flag("format of the output", choices=OUTPUTS, default="by -o, or conllu")
    ] = None,
    threads: Threads = 1,
    skip_bad: SkipBad = False,
    mapped: Mapped = False,
    rules: RulesFile = None,
    train: Annotated[str | None, Flag("train a tagger on this CoNLL-U file")] = None,
    dev: DevFile = None,
    resume: Resume = False,
    checkpoint: Checkpoint = True,
    **settings: Any,
) -> None:
    """Tag words with UPOS, XPOS, FEATS and lemmas, or train a tagger.

    The columns that the tagger has learned are replaced; everything else is kept. With --train, no
    MODEL is given and the tagger is written to the file of -o; --resume continues a run that was
    interrupted by Ctrl-C or SIGTERM. The settings below apply to training.
    """
    chosen = drop_unset(settings)
    if train is not None:
        if model is not None or out == "-":
            raise UsageError("--train F requires -o MODEL and no other file")
        if mapped or rules is not None:
            flag = "--mapped" if mapped else "--rules"
            raise UsageError(f"{flag} does not apply to training")
        _train(train, dev, TaggerSettings(**chosen), TrainingOutput(Path(out), resume, checkpoint))
        return
    if model is None:
        raise UsageError("MODEL is missing; to train a tagger: --train F -o MODEL")
    for_training = {"dev": dev is not None, "resume": resume, "no-checkpoint": not checkpoint}
    if names := [*chosen, *(name for name, is_given in for_training.items() if is_given)]:
        raise UsageError(f"--{', --'.join(names)}: only with --train F")
    format = choose_format(out, output, OUTPUTS, OUTPUTS[0])
    model, paths = split_off_model([model, *(inputs or [])])
    file = locate(model)
    tagger = load_tagger(file, mapped=mapped)
    if (found := get_rules(rules, file)) is not None:
        tagger = tagger.with_rules(found)
    flags = ("--skip-bad",) if skip_bad else ()
    reader = SentenceReader(input, tagger.segmenter, skip_bad, encoding, for_treebanks=flags)
    annotate(paths, reader, TextRun(partial(tagger.annotate, threads=threads)), out, format, file)


def _train(train: str, dev: str | None, settings: TaggerSettings, output: TrainingOutput) -> None:
    from dodona.tagging.tagger_training import TaggerTrainer

    output.check()
    trainer = TaggerTrainer(train, dev, settings)
    output.resume_run(trainer)
    say(f"train: {len(trainer.sentences):,} sentences, {trainer.corpus.n_words_total:,} words")
    say(f"tasks: {', '.join(trainer.columns)}")
    try:
        for epoch in trainer.epochs(checkpoint=output.target):
            say(describe_epoch(epoch, settings.epochs, f"{epoch.seconds:.1f} s"))
    except KeyboardInterrupt as interrupt:
        raise output.rescue(interrupt, "tagger", trainer.best_epoch, trainer.tagger) from None
    output.finish(trainer.tagger())
