"""`dodona train`: from a treebank to a model, with checkpoints."""

import json as json_
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.checkpoints import Kept
from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag, parameters
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.models.cards import Card, add_card
from dodona.pipeline.parts import NAMES, TRAIN, Parts
from dodona.settings import LINEAR, PARSER, PIPELINES, TEXT, Settings

if TYPE_CHECKING:
    from dodona.cli.progress import View
    from dodona.parsing.parser import Parser
    from dodona.parsing.training import Trainer

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
    raw: Annotated[
        str | None, Flag("of a text pipeline: files of plain text, with commas between them")
    ] = None,
    abbreviations: Annotated[
        str | None, Flag("of a text pipeline: a list of abbreviations, one a line")
    ] = None,
    language: Annotated[
        str | None, Flag("language of the data: the model records it", metavar="NAME")
    ] = None,
    licence: Annotated[
        str | None, Flag("licence of the data, and so of the model", metavar="NAME")
    ] = None,
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

    Interrupted by Ctrl-C or SIGTERM it saves the best parser so far; --resume takes the run up
    again, and the model is then the same to the last bit as that of a run without a break.
    """
    from dodona.cli.progress import view

    start = time.perf_counter()
    own = {"train": train, "dev": dev, "out": out, "pipeline": pipeline}
    parts = {"segmenter": segmenter, "tagger": tagger, "parser": parser}
    parts |= {"raw": raw, "abbreviations": abbreviations}
    said = {"language": language, "licence": licence}
    values = _from_file(config) | drop_unset({**own, **parts, **said, **settings})
    model, data, dev_data = _paths(values)
    card = _card(values)
    kept = Kept(model, resume, checkpoint)
    kept.check_places()
    if values.get("parser", TRAIN) != TRAIN:
        if json:
            raise UsageError("--json is for parsers that are trained, as this is not")
        _assemble(kept, data, dev_data, values, card, quiet)
        return
    trainer = _trainer(data, dev_data, values)
    kept.take_up(trainer)
    with view(trainer, quiet) as shown:
        _run(trainer, shown, kept, card)
    kept.finish(_signed_parser(trainer, card))
    if json:
        print(json_.dumps(_result(trainer, model), ensure_ascii=False, indent=2))
    elif not quiet:
        _print_result(trainer, model, time.perf_counter() - start)


def _trainer(data: str, dev_data: str | None, values: dict[str, Any]) -> "Trainer":
    """What trains the parser, or all parts of a text pipeline."""
    from dodona.pipeline.training import trainer_of

    parts = _parts(values)
    is_text = values.pop("pipeline", PARSER) == TEXT
    return trainer_of(data, dev_data, Settings(**values), parts if is_text else None)


def _parts(values: dict[str, Any]) -> Parts:
    """Where the parts come from, taken out of the values."""
    names = (*NAMES, "raw", "abbreviations")
    sources = {name: values.pop(name) for name in names if name in values}
    if sources and values.get("pipeline", PARSER) != TEXT:
        raise UsageError(f"--{', --'.join(sources)}: only with --pipeline text")
    if "raw" in sources:
        sources["raw"] = tuple(filter(None, sources["raw"].split(",")))
    return Parts(**sources)


def _card(values: dict[str, Any]) -> Card:
    """What the model is to say of its data, taken out of the values."""
    card = Card(values.pop("language", ""), licence=values.pop("licence", ""))
    card.check()
    return card


def _assemble(
    kept: Kept, data: str, dev_data: str | None, values: dict[str, Any], card: Card, quiet: bool
) -> None:
    """Segmenter and tagger for a parser that is there already, or for none."""
    from dodona.cli.progress import describe_part
    from dodona.pipeline.assembly import Assembly

    parts = _parts(values)
    del values["pipeline"]
    if values.keys() - {"seed"}:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in values if name != "seed")
        raise UsageError(f"{names}: the parser is not trained, so this would change nothing")
    run = Assembly(data, dev_data, parts, **values)
    kept.take_up(run)
    try:
        for epoch in run.epochs(checkpoint=kept.target):
            if not quiet:
                say(describe_part(epoch))
    except KeyboardInterrupt as interrupt:
        raise kept.rescue(interrupt, "model", None, run.model) from None
    kept.finish(add_card(run.model(), card))


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


def _run(trainer: "Trainer", shown: "View", kept: Kept, card: Card) -> None:
    try:
        for epoch in trainer.epochs(shown.advance, kept.target):
            shown.finish(epoch)
    except KeyboardInterrupt as interrupt:
        shown.close()
        best, give = trainer.best_epoch, partial(_signed_parser, trainer, card)
        raise kept.rescue(interrupt, "parser", best, give) from None


def _signed_parser(trainer: "Trainer", card: Card) -> "Parser":
    return add_card(trainer.parser(), card)


def _result(trainer: "Trainer", model: Path) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "model": str(model),
        "bytes": model.stat().st_size,
        "settings": asdict(trainer.settings),
        **trainer.parser().record,
        "history": [
            entry
            | {"seconds": epoch.seconds, "words_per_second": epoch.words_per_second}
            | {"of_graphs": trainer.system.builds_graphs}
            for entry, epoch in zip(trainer.record()["history"], trainer.history, strict=True)
        ],
        "graphs": trainer.graph_stage.trainer.record() if trainer.graph_stage.trainer else None,
    }


def _print_result(trainer: "Trainer", model: Path, seconds: float) -> None:
    from dodona.cli.tables import n_bytes, print_pairs

    best, parser = trainer.best_epoch, trainer.parser()
    assert best is not None  # there is a parser
    rows = [("model", str(model)), ("size", n_bytes(model.stat().st_size))]
    if parser.settings.scorer == LINEAR:
        rows.append(("features", f"{parser.weights.n_rows:,}"))
    rows.append(("actions", f"{len(parser.pairs):,}"))
    rows += [("best epoch", f"{best.number} of {len(trainer.history)}")]
    graphs = trainer.graph_stage.trainer.best_epoch if trainer.graph_stage.trainer else None
    for name, score in (best.scores | (graphs.scores if graphs else {})).items():
        rows.append((f"dev {name.upper()}", f"{score:.2f}"))
    print_pairs([*rows, ("training time", f"{seconds:,.1f} s")])
    if problem := getattr(trainer, "text_problem", ""):
        say(f"the dev set is not scored from raw text: {problem}")
    if scores := parser.record.get("dev_text"):
        print_pairs(
            [(name, f"{f1:.2f}") for name, f1 in scores.items()], "Dev set from raw text, F1"
        )
