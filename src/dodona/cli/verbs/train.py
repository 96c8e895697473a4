"""`dodona train`: train a parser or a text pipeline."""

import json as json_
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Checkpoint, DevFile, Flag, ModelFile, Resume, parameters
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.cli.training_output import TrainingOutput, TrainingView, describe_part
from dodona.models.cards import Card, add_card
from dodona.pipeline.sources import NAMES, TRAIN, PartSources
from dodona.settings import PARSER, PIPELINES, TEXT, Settings

if TYPE_CHECKING:
    from dodona.parsing.parser import Parser
    from dodona.parsing.trainer import Trainer
    from dodona.pipeline.text_trainer import TextTrainer

PartSource = Annotated[
    str | None,
    Flag("text pipeline: train, none, or a model that has one", default=TRAIN, metavar="SOURCE"),
]


@with_settings()
def train(
    *,
    train: Annotated[str | None, Flag("CoNLL-U file to train on", default="required")] = None,
    dev: DevFile = None,
    out: ModelFile = None,
    pipeline: Annotated[
        str | None, Flag("parse words, or plain text", choices=PIPELINES, default=PARSER)
    ] = None,
    segmenter: PartSource = None,
    tagger: PartSource = None,
    parser: PartSource = None,
    raw: Annotated[
        str | None,
        Flag("text pipeline: further plain text, files separated by commas", metavar="FILES"),
    ] = None,
    abbreviations: Annotated[
        str | None, Flag("text pipeline: a list of abbreviations, one per line")
    ] = None,
    more: Annotated[
        str | None,
        Flag(
            "network: further treebanks to learn from, of the same language or of related ones; "
            "files separated by commas",
            metavar="FILES",
        ),
    ] = None,
    from_: Annotated[
        str | None,
        Flag("continue from a model, by name or file: fine-tuning", metavar="MODEL"),
    ] = None,
    rehearse: Annotated[
        str | None,
        Flag(
            "fine-tuning: treebanks, or plain text that the model parses, which it should not "
            "forget; files separated by commas",
            metavar="FILES",
        ),
    ] = None,
    segmenter_size: Annotated[
        int | None,
        Flag("text pipeline: largest size of the segmenter in kB", default="any", metavar="N"),
    ] = None,
    language: Annotated[
        str | None, Flag("language of the data, recorded in the model", metavar="NAME")
    ] = None,
    licence: Annotated[
        str | None, Flag("licence of the data and the model, recorded in the model", metavar="NAME")
    ] = None,
    config: Annotated[
        str | None, Flag("TOML file of settings with the names of these flags, which override it")
    ] = None,
    resume: Resume = False,
    checkpoint: Checkpoint = True,
    json: Annotated[bool, Flag("print the result as JSON")] = False,
    quiet: Annotated[bool, Flag("print no progress and no result")] = False,
    **settings: Any,
) -> None:
    """Train a parser on a treebank or, with --pipeline text, also segmenter and tagger.

    After Ctrl-C or SIGTERM, the best parser so far is saved; --resume continues the run. The
    resulting model is identical to that of an uninterrupted run.
    """
    start = time.perf_counter()
    own = {"train": train, "dev": dev, "out": out, "pipeline": pipeline}
    parts = {"segmenter": segmenter, "tagger": tagger, "parser": parser}
    parts |= {"raw": raw, "abbreviations": abbreviations, "from_": from_, "rehearse": rehearse}
    parts |= {"more": more}
    sizes = {"segmenter_size": segmenter_size}
    card = {"language": language, "licence": licence}
    values = _from_file(config) | drop_unset({**own, **parts, **sizes, **card, **settings})
    for name in ("train", "out"):
        if name not in values:
            raise UsageError(f"--{name} is missing: give it here or in the file of --config")
    model, data, dev_data = Path(values.pop("out")), values.pop("train"), values.pop("dev", None)
    signature = Card(values.pop("language", ""), licence=values.pop("licence", ""))
    signature.check()
    output = TrainingOutput(model, resume, checkpoint)
    output.check()
    more_data = _names(values.pop("more", ""))
    assembles = values.get("parser", TRAIN) != TRAIN
    if more_data and (assembles or {"from_", "rehearse"} & values.keys()):
        raise UsageError("--more is for parsers that are trained from the beginning: --rehearse")
    if assembles:
        if json:
            raise UsageError("--json requires that a parser is trained")
        _assemble(output, data, dev_data, values, signature, quiet)
        return
    trainer = _trainer(data, dev_data, values, more_data)
    output.resume_run(trainer)
    shown = TrainingView(trainer.trainer, quiet)
    with shown:
        _run(trainer, shown, output, signature)
    output.finish(_signed_parser(trainer, signature))
    if json:
        print(json_.dumps(_result(trainer, model), ensure_ascii=False, indent=2))
    elif not quiet:
        _print_result(trainer, model, time.perf_counter() - start)


def _trainer(
    data: str, dev_data: str | None, values: dict[str, Any], more: tuple[str, ...]
) -> "Trainer | TextTrainer":
    from dodona.pipeline.trainers import continued_trainer, usual_trainer

    parts = _parts(values)
    if "from_" in values or "rehearse" in values:
        from dodona.pipeline.fine_tuning import Base

        rehearse = _names(values.pop("rehearse", ""))
        pipeline = values.pop("pipeline", PARSER)
        base = Base.of_flags(values.pop("from_", ""), rehearse, pipeline)
        return continued_trainer(data, dev_data, base, values)
    is_text = values.pop("pipeline", PARSER) == TEXT
    return usual_trainer(data, dev_data, Settings(**values), parts if is_text else None, more)


def _parts(values: dict[str, Any]) -> PartSources:
    """Remove the sources of the parts from the values, and return them."""
    names = (*NAMES, "raw", "abbreviations", "segmenter_size")
    sources = {name: values.pop(name) for name in names if name in values}
    if sources and values.get("pipeline", PARSER) != TEXT:
        given = ", ".join(f"--{name.replace('_', '-')}" for name in sources)
        raise UsageError(f"{given}: only with --pipeline text")
    if "raw" in sources:
        sources["raw"] = _names(sources["raw"])
    return PartSources(**sources)


def _names(files: str) -> tuple[str, ...]:
    """Return the names of files that commas separate."""
    return tuple(filter(None, files.split(",")))


def _assemble(
    output: TrainingOutput,
    data: str,
    dev_data: str | None,
    values: dict[str, Any],
    card: Card,
    quiet: bool,
) -> None:
    """Train segmenter and tagger for an existing parser, or for none."""
    from dodona.pipeline.assembly import Assembly

    parts = _parts(values)
    del values["pipeline"]
    if values.keys() - {"seed"}:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in values if name != "seed")
        raise UsageError(f"{names}: no effect, since the parser is not trained")
    run = Assembly(data, dev_data, parts, **values)
    output.resume_run(run)
    try:
        for epoch in run.epochs(checkpoint=output.target):
            if not quiet:
                say(describe_part(epoch))
    except KeyboardInterrupt as interrupt:
        raise output.rescue(interrupt, "model", None, run.model) from None
    output.finish(add_card(run.model(), card))


def _from_file(config: str | None) -> dict[str, Any]:
    if config is None:
        return {}
    from dodona.cli.config import read_config

    known = [p for p in parameters(train) if p.default is None and p.name != "config"]
    return read_config(Path(config), known)


def _run(
    trainer: "Trainer | TextTrainer", shown: TrainingView, output: TrainingOutput, card: Card
) -> None:
    try:
        for epoch in trainer.epochs(shown.advance, output.target):
            shown.finish(epoch)
    except KeyboardInterrupt as interrupt:
        shown.close()
        best, give = trainer.trainer.best_epoch, partial(_signed_parser, trainer, card)
        raise output.rescue(interrupt, "parser", best, give) from None


def _signed_parser(trainer: "Trainer | TextTrainer", card: Card) -> "Parser":
    return add_card(trainer.parser(), card)


def _result(run: "Trainer | TextTrainer", model: Path) -> dict[str, Any]:

    trainer = run.trainer
    return {
        "model": str(model),
        "bytes": model.stat().st_size,
        "settings": trainer.settings.flat(),
        **run.parser().record,
        "history": [
            entry
            | {"seconds": epoch.seconds, "words_per_second": epoch.words_per_second}
            | {"of_graphs": trainer.task.system.builds_graphs}
            for entry, epoch in zip(trainer.record()["history"], trainer.history, strict=True)
        ],
        "graphs": trainer.graph_trainer.record() if trainer.graph_trainer else None,
    }


def _print_result(run: "Trainer | TextTrainer", model: Path, seconds: float) -> None:
    from dodona.cli.tables import n_bytes, print_pairs

    trainer, parser = run.trainer, run.parser()
    best = trainer.best_epoch
    assert best is not None  # there is a parser
    rows = [("model", str(model)), ("size", n_bytes(model.stat().st_size))]
    if (n_features := parser.scorer.describe()["n_features"]) is not None:
        rows.append(("features", f"{n_features:,}"))
    rows.append(("actions", f"{len(parser.pairs):,}"))
    rows += [("best epoch", f"{best.number} of {len(trainer.history)}")]
    graphs = trainer.graph_trainer.best_epoch if trainer.graph_trainer else None
    for name, score in (best.scores | (graphs.scores if graphs else {})).items():
        rows.append((f"dev {name.upper()}", f"{score:.2f}"))
    print_pairs([*rows, ("training time", f"{seconds:,.1f} s")])
    if problem := getattr(run, "text_problem", ""):
        say(f"the dev set cannot be scored from raw text: {problem}")
    if scores := parser.record.get("dev_text"):
        print_pairs(
            [(name, f"{f1:.2f}") for name, f1 in scores.items()], "Dev set from raw text, F1"
        )
