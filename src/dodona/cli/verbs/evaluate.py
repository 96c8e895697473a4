"""`dodona evaluate`: score trees against gold trees, analyse errors, compare systems."""

import json as json_
from pathlib import Path
from typing import Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag, Json
from dodona.cli.input_files import InputFile, total_size
from dodona.cli.inputs import advise
from dodona.cli.output_names import choose_format
from dodona.cli.progress import Meter
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import read

PUNCTUATION = ("auto", "upos", "xpos", "characters")


def evaluate(
    gold: Annotated[str, Flag("CoNLL-U file of gold trees", positional=True)],
    system: Annotated[str, Flag("the same sentences, parsed by a system", positional=True)],
    system2: Annotated[
        str | None, Flag("the same sentences, parsed by a second system", positional=True)
    ] = None,
    punctuation: Annotated[bool, Flag("count punctuation")] = True,
    punctuation_by: Annotated[
        str,
        Flag(
            "how to recognise punctuation: by UPOS PUNCT, by XPOS tags of punctuation, or by "
            "characters; auto: the first of these that the gold trees allow",
            choices=PUNCTUATION,
        ),
    ] = "auto",
    labels: Annotated[
        str,
        Flag("compare full labels, or their universal part only", choices=("exact", "universal")),
    ] = "exact",
    text: Annotated[
        bool, Flag("the system segmented the text: metrics of the CoNLL 2018 shared task")
    ] = False,
    graphs: Annotated[
        bool, Flag("score enhanced graphs (column DEPS): precision, recall, ELAS, EULAS")
    ] = False,
    details: Annotated[
        bool, Flag("break scores down by label, distance, length and position")
    ] = False,
    errors: Annotated[
        bool, Flag("also by depth and known words, with confusions and the worst sentences")
    ] = False,
    train: Annotated[
        str | None, Flag("for --errors: the training treebank, which defines the known words")
    ] = None,
    report: Annotated[
        str | None, Flag("write the errors to an HTML page, with system and gold trees")
    ] = None,
    test: Annotated[
        str | None, Flag("significance test", choices=("mcnemar", "bootstrap"), default="mcnemar")
    ] = None,
    json: Json = False,
) -> None:
    """Score a system's trees, analyse its errors, or compare two systems.

    With a second system, the difference between the two is tested for significance.
    """
    options: Any = {"punctuation": punctuation, "punctuation_by": punctuation_by, "labels": labels}
    has_defaults = punctuation and punctuation_by == "auto" and labels == "exact"
    if punctuation and punctuation_by != "auto":
        raise UsageError("--punctuation-by requires --no-punctuation")
    if test and not system2:
        raise UsageError("--test compares two systems: give a second one")
    if graphs:
        if system2 or details or errors or report or not has_defaults:
            raise UsageError("--graphs can be combined with --text and --json, for one system")
        _evaluate_graphs(gold, system, text, json)
    elif text:
        if not has_defaults or details or errors or report or test == "bootstrap":
            raise UsageError("--text can be combined with --json and --test mcnemar only")
        _evaluate_text(gold, system, system2, json)
    elif errors or report:
        if system2:
            raise UsageError("--errors and --report analyse a single system")
        _analyse(gold, system, train, report, json, options)
    elif train is not None:
        raise UsageError("--train requires --errors or --report")
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
    n_passes = 1 if len(found) == 1 else 6  # scores of each system, then both in two comparisons
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


def _evaluate_graphs(gold: str, system: str, text: bool, json: bool) -> None:
    from dodona import evaluation

    trees, graphs = map(_load, (gold, system))
    n_words = _n_words(trees) + (_n_words(graphs) if text else 0)
    with Meter("evaluating", n_words, by_words=True) as meter:
        found = evaluation.evaluate_graphs(trees, graphs, text=text, progress=meter.add)
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

    choose_format(report or "-", None, ("html",), "html", flag="")
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
        say(f"wrote the {len(found.worst):,} worst sentences to {report}")


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
    """Print the scores of each system, then the comparisons."""
    if json:
        print(json_.dumps(_to_data(names, scores, comparisons), ensure_ascii=False, indent=2))
        return
    for letter, name, found in zip("AB", names, scores, strict=False):
        if len(names) > 1:
            print(f"{letter}: {name}\n")
        print(found.table(**how), end="" if len(names) == 1 else "\n")
    print("\n".join(comparison.table() for comparison in comparisons.values()), end="")


def _to_data(names: list[str], scores: list[Any], comparisons: dict[str, Any]) -> Any:
    """Return the scores of one system as JSON data, or those of two with the comparisons."""
    if len(names) == 1:
        return scores[0].to_dict()
    return {
        "systems": [
            {"name": name, **found.to_dict()} for name, found in zip(names, scores, strict=True)
        ],
        "comparisons": {metric: found.to_dict() for metric, found in comparisons.items()},
    }
