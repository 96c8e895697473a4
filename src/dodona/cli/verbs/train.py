"""`dodona train`: from a treebank to a model, with checkpoints."""

import json as json_
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import INTERRUPTED, Stop, UsageError, say
from dodona.cli.flags import Flag, parameters
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.pipeline.parts import NAMES, TRAIN, Parts
from dodona.settings import PARSER, PIPELINES, TEXT, Settings

if TYPE_CHECKING:
    from dodona.cli.progress import View
    from dodona.parsing.training import Trainer
    from dodona.segmentation.training import SegmenterEpoch

SOURCES = "train, none, or a model to take it from"


@with_settings()
def train(
    *,
    train: Annotated[str | None, Flag("CoNLL-U file to learn from", default="required")] = None,
    dev: Annotated[
        str | None, Flag("CoNLL-U file to choose the best epoch by", default="take the last epoch")
    ] = None,
    out: Annotated[str | None, Flag("model file to write", short="-o", default="required")] = None,
    pipeline: Annotated[
        str | None,
        Flag("parser: words in, trees out; text: plain text in", choices=PIPELINES, default=PARSER),
    ] = None,
    segmenter: Annotated[str | None, Flag(f"of a text pipeline: {SOURCES}", default=TRAIN)] = None,
    tagger: Annotated[str | None, Flag(f"of a text pipeline: {SOURCES}", default=TRAIN)] = None,
    parser: Annotated[str | None, Flag(f"of a text pipeline: {SOURCES}", default=TRAIN)] = None,
    config: Annotated[
        str | None, Flag("TOML file with the names of these flags; flags win")
    ] = None,
    resume: Annotated[bool, Flag("go on from the checkpoint of an interrupted run")] = False,
    checkpoint: Annotated[bool, Flag("keep OUT.checkpoint until training is complete")] = True,
    json: Annotated[bool, Flag("print what came of it as JSON")] = False,
    quiet: Annotated[bool, Flag("no progress, no table")] = False,
    **settings: Any,
) -> None:
    """Train a parser on a treebank, or with --pipeline text all that leads from text to trees.

    Interrupted by Ctrl-C it saves the best parser so far; --resume takes the run up again, and the
    model is then the same to the last bit as that of a run without a break.
    """
    from dodona.cli.progress import view

    own = {"train": train, "dev": dev, "out": out, "pipeline": pipeline}
    parts = {"segmenter": segmenter, "tagger": tagger, "parser": parser}
    values = _from_file(config) | drop_unset({**own, **parts, **settings})
    model, data, dev_data = _paths(values)
    kept = model.with_name(model.name + ".checkpoint")
    _check_places(model, kept, resume)
    if values.get("parser", TRAIN) != TRAIN:
        if resume or json:
            raise UsageError("--resume and --json are for parsers that are trained, as this is not")
        _assemble(model, data, dev_data, values, quiet)
        return
    trainer = _trainer(data, dev_data, values, quiet)
    if resume:
        trainer.resume(kept)
    elif kept.exists() and checkpoint:
        say(f"{kept} of an earlier run will be replaced; --resume would go on from it")
    with view(trainer, quiet) as shown:
        _run(trainer, shown, model, kept if checkpoint else None)
    trainer.parser().save(model)
    if checkpoint or resume:
        kept.unlink(missing_ok=True)
    if json:
        print(json_.dumps(_result(trainer, model), ensure_ascii=False, indent=2))
    elif not quiet:
        _print_result(trainer, model)


def _trainer(data: str, dev_data: str | None, values: dict[str, Any], quiet: bool) -> "Trainer":
    """What trains the parser, or all parts of a text pipeline; the segmenter is then ready."""
    from dodona.parsing.training import Trainer
    from dodona.pipeline.training import TextTrainer

    parts = _parts(values)
    if values.pop("pipeline", PARSER) == TEXT:
        report = None if quiet else _say_segmenter
        return TextTrainer(data, dev_data, Settings(**values), parts, report)
    return Trainer(data, dev_data, Settings(**values))


def _parts(values: dict[str, Any]) -> Parts:
    """Where the parts come from, taken out of the values."""
    sources = {name: values.pop(name) for name in NAMES if name in values}
    if sources and values.get("pipeline", PARSER) != TEXT:
        raise UsageError(f"--{', --'.join(sources)}: only with --pipeline text")
    return Parts(**sources)


def _assemble(
    model: Path, data: str, dev_data: str | None, values: dict[str, Any], quiet: bool
) -> None:
    """Segmenter and tagger for a parser that is there already, or for none."""
    from dodona.pipeline.training import assemble

    parts = _parts(values)
    del values["pipeline"]
    if values.keys() - {"seed"}:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in values if name != "seed")
        raise UsageError(f"{names}: the parser is not trained, so this would change nothing")
    report = None if quiet else _say_segmenter
    assemble(data, dev_data, parts, report, **values).save(model)


def _say_segmenter(epoch: "SegmenterEpoch") -> None:
    scores = " ".join(f"{name} {score:.2f}" for name, score in epoch.scores.items())
    say(f"segmenter, epoch {epoch.number}" + (f"  dev {scores}" if scores else ""))


def _from_file(config: str | None) -> dict[str, Any]:
    """What the file says: anything a flag could say about the training itself."""
    if config is None:
        return {}
    from dodona.cli.config import read_config

    known = [p for p in parameters(train) if p.default is None and p.name != "config"]
    return read_config(Path(config), known)


def _paths(values: dict[str, Any]) -> tuple[Path, str, str | None]:
    """The model to write, the training and the dev data; what is left are settings."""
    for name in ("train", "out"):
        if name not in values:
            raise UsageError(f"--{name} is missing; give it here or in the file of --config")
    return Path(values.pop("out")), values.pop("train"), values.pop("dev", None)


def _check_places(model: Path, checkpoint: Path, resume: bool) -> None:
    """Find out now, not after an hour, that the model cannot be written."""
    if not model.parent.is_dir():
        raise ValueError(f"{model}: the folder {model.parent} does not exist")
    if model.is_dir():
        raise ValueError(f"{model}: this is a folder; expected a file to write the model to")
    if not os.access(model.parent, os.W_OK):
        raise ValueError(f"{model}: no permission to write to the folder {model.parent}")
    if resume and not checkpoint.exists():
        raise ValueError(f"{checkpoint}: no such checkpoint; without --resume training starts anew")


def _run(trainer: "Trainer", shown: "View", model: Path, checkpoint: Path | None) -> None:
    try:
        for epoch in trainer.epochs(shown.advance):
            if checkpoint:
                trainer.save_checkpoint(checkpoint)
            shown.finish(epoch)
    except KeyboardInterrupt:
        shown.close()
        if trainer.best_epoch is None:
            say("interrupted in the first epoch: there is no parser to save yet")
            raise Stop(INTERRUPTED) from None
        trainer.parser().save(model)
        say(f"interrupted: {model} is the parser of epoch {trainer.best_epoch.number}")
        if checkpoint and checkpoint.exists():
            say(f"the same command with --resume goes on from {checkpoint}")
        raise Stop(INTERRUPTED) from None


def _result(trainer: "Trainer", model: Path) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "model": str(model),
        "bytes": model.stat().st_size,
        "settings": asdict(trainer.settings),
        **trainer.parser().record,
        "history": [asdict(epoch) for epoch in trainer.history],
        "graphs": trainer.graph_trainer.record() if trainer.graph_trainer else None,
    }


def _print_result(trainer: "Trainer", model: Path) -> None:
    from dodona.cli.tables import n_bytes, print_pairs

    best, parser = trainer.best_epoch, trainer.parser()
    assert best is not None  # there is a parser
    rows = [("model", str(model)), ("size", n_bytes(model.stat().st_size))]
    rows += [("features", f"{parser.weights.n_rows:,}"), ("actions", f"{len(parser.pairs):,}")]
    rows += [("best epoch", f"{best.number} of {len(trainer.history)}")]
    graphs = trainer.graph_trainer.best_epoch if trainer.graph_trainer else None
    for name, score in (best.scores | (graphs.scores if graphs else {})).items():
        rows.append((f"dev {name.upper()}", f"{score:.2f}"))
    seconds = sum(epoch.seconds for epoch in trainer.history)
    print_pairs([*rows, ("training time", f"{seconds:,.1f} s")])
    if problem := getattr(trainer, "text_problem", ""):
        say(f"the dev set is not scored from raw text: {problem}")
    if scores := parser.record.get("dev_text"):
        print_pairs(
            [(name, f"{f1:.2f}") for name, f1 in scores.items()], "Dev set from raw text, F1"
        )
