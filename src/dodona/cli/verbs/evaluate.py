"""`dodona evaluate`: scores against gold trees, where they are lost, and whether systems differ."""

import json as json_
from pathlib import Path
from typing import Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag
from dodona.cli.inputs import advise
from dodona.cli.input_files import InputFile, total_size
from dodona.cli.progress import Meter
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import read

PUNCTUATION = ("auto", "upos", "xpos", "characters")


def evaluate(
    gold: Annotated[str, Flag("CoNLL-U file of gold trees", positional=True)],
    system: Annotated[str, Flag("the same sentences as parsed by a system", positional=True)],
    system2: Annotated[
        str | None, Flag("… by another system, to be compared with the first", positional=True)
    ] = None,
    punctuation: Annotated[bool, Flag("count punctuation")] = True,
    punctuation_by: Annotated[
        str,
        Flag(
            "what tells punctuation: UPOS PUNCT, the treebank's tags of punctuation alone, or "
            "characters; auto is the first that gold has",
            choices=PUNCTUATION,
        ),
    ] = "auto",
    labels: Annotated[
        str,
        Flag(
            "compare whole labels, or their universal part",
            choices=("exact", "universal"),
        ),
    ] = "exact",
    text: Annotated[
        bool, Flag("the system split the text by itself: metrics of the CoNLL 2018 shared task")
    ] = False,
    graphs: Annotated[
        bool, Flag("score the enhanced graphs of the DEPS column: precision, recall, F1, ELAS")
    ] = False,
    details: Annotated[bool, Flag("break down by label, distance, length, position")] = False,
    errors: Annotated[
        bool, Flag("… also by depth and known words; confusions; the worst sentences")
    ] = False,
    train: Annotated[
        str | None, Flag("for --errors: the treebank of training, whose words are known")
    ] = None,
    report: Annotated[
        str | None, Flag("write the errors as an HTML page, with both trees drawn over each other")
    ] = None,
    test: Annotated[
        str | None,
        Flag("test of significance", choices=("mcnemar", "bootstrap"), default="mcnemar"),
    ] = None,
    json: Annotated[bool, Flag("print JSON")] = False,
) -> None:
    """Score a system's trees, find its errors, or compare two systems.

    A second system is compared with the first, and the difference tested for significance.
    """
    options: Any = {
        "punctuation": punctuation,
        "punctuation_by": punctuation_by,
        "labels": labels,
    }
    has_defaults = punctuation and punctuation_by == "auto" and labels == "exact"
    if punctuation and punctuation_by != "auto":
        raise UsageError("--punctuation-by goes with --no-punctuation")
    if test and not system2:
        raise UsageError("--test compares two systems: name a second one")
    if text:
        if not has_defaults or details or errors or report or test == "bootstrap":
            raise UsageError("--text has its own rules: it goes with --json and --test mcnemar")
        _evaluate_text(gold, system, system2, json)
    elif graphs:
        if system2 or details or errors or report or not has_defaults:
            raise UsageError("--graphs scores one system, with all arcs and whole labels")
        _evaluate_graphs(gold, system, json)
    elif errors or report:
        if system2:
            raise UsageError("--errors and --report look at one system")
        _analyse(gold, system, train, report, json, options)
    elif train is not None:
        raise UsageError("--train goes with --errors or --report")
    else:
        _evaluate(gold, [system, system2], options, details, test, json)


def _evaluate(
    gold: str,
    systems: list[str | None],
    options: dict[str, Any],
    details: bool,
    test: str | None,
    json: bool,
) -> None:
    from dodona import evaluation

    names = [name for name in systems if name]
    trees, *found = map(_load, [gold, *names])
    comparisons: dict[str, evaluation.Comparison] = {}
    n_passes = 1 if len(found) == 1 else 6  # each system's scores, and both in each comparison
    with Meter("evaluating", n_passes * _n_words(trees), by_words=True) as meter:
        options["progress"] = meter.add
        scores = [evaluation.evaluate(trees, each, **options) for each in found]
        if len(found) == 2:
            kind: Any = {"test": test or "mcnemar", **options}
            for metric in ("uas", "las"):
                comparisons[metric] = evaluation.compare(trees, *found, metric=metric, **kind)
    _show(names, scores, comparisons, json, details=details)


def _evaluate_text(gold: str, system: str, system2: str | None, json: bool) -> None:
    from dodona import evaluation

    names = [name for name in (system, system2) if name]
    trees, *found = map(_load, [gold, *names])
    comparisons: dict[str, evaluation.Comparison] = {}
    n_passes = 1 if len(found) == 1 else 3  # as above
    n_words = n_passes * (len(found) * _n_words(trees) + sum(map(_n_words, found)))
    with Meter("evaluating", n_words, by_words=True) as meter:
        scores = [evaluation.evaluate_text(trees, each, progress=meter.add) for each in found]
        if len(found) == 2 and all(each.las is not None for each in scores):
            for metric in ("uas", "las"):
                kind: Any = {"metric": metric, "progress": meter.add}
                comparisons[metric] = evaluation.compare_text(trees, *found, **kind)
    _show(names, scores, comparisons, json)


def _evaluate_graphs(gold: str, system: str, json: bool) -> None:
    from dodona import evaluation

    trees, graphs = map(_load, (gold, system))
    with Meter("evaluating", _n_words(trees), by_words=True) as meter:
        found = evaluation.evaluate_graphs(trees, graphs, progress=meter.add)
    print(json_.dumps(found.to_dict(), indent=2) if json else found.table())


def _analyse(
    gold: str,
    system: str,
    train: str | None,
    report: str | None,
    json: bool,
    options: dict[str, Any],
) -> None:
    from dodona import evaluation

    trees, parsed = map(_load, (gold, system))
    known = None if train is None else _load(train)
    with Meter("evaluating", 2 * _n_words(trees), by_words=True) as meter:
        options["progress"] = meter.add
        found = evaluation.analyse(trees, parsed, train=known, **options)
    if report:
        with open_output(report) as file:
            file.write(found.to_html(f"Errors of {Path(system).name}").encode())
    if json:
        print(json_.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    elif report != "-":
        print(found.table(), end="")
    if report and report != "-":
        say(f"{report} has the {len(found.worst):,} worst sentences, drawn")


def _load(path: str) -> list[Any]:
    with Meter("reading", total_size([path])) as meter, InputFile(path) as file:
        meter.watch(file)
        source: Any = file
        try:
            return list(meter.count(read(source, trees="optional", name=file.name)))
        except TreebankError as error:
            raise advise(error, is_sure=True, converts=False) from None


def _n_words(sentences: list[Any]) -> int:
    return sum(map(len, sentences))


def _show(
    names: list[str], scores: list[Any], comparisons: dict[str, Any], json: bool, **how: Any
) -> None:
    """The scores of one system; of two, one after the other, and then the comparisons."""
    if json:
        print(json_.dumps(_to_data(names, scores, comparisons), ensure_ascii=False, indent=2))
        return
    for letter, name, found in zip("AB", names, scores, strict=False):
        if len(names) > 1:
            print(f"{letter}: {name}\n")
        print(found.table(**how), end="" if len(names) == 1 else "\n")
    print("\n".join(comparison.table() for comparison in comparisons.values()), end="")


def _to_data(names: list[str], scores: list[Any], comparisons: dict[str, Any]) -> Any:
    """The scores of one system; of two, a list with their names, and the comparisons."""
    if len(names) == 1:
        return scores[0].to_dict()
    return {
        "systems": [
            {"name": name, **found.to_dict()} for name, found in zip(names, scores, strict=True)
        ],
        "comparisons": {metric: found.to_dict() for metric, found in comparisons.items()},
    }
