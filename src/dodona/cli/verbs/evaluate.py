"""`dodona evaluate`: scores against gold trees, and whether two systems differ."""

import json as json_
from typing import Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag


def evaluate(
    gold: Annotated[str, Flag("CoNLL-U file of gold trees", positional=True)],
    system: Annotated[str, Flag("the same sentences as parsed by a system", positional=True)],
    system2: Annotated[
        str | None, Flag("… by another system, to be compared with the first", positional=True)
    ] = None,
    punctuation: Annotated[bool, Flag("count punctuation")] = True,
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
    test: Annotated[
        str | None,
        Flag("test of significance", choices=("mcnemar", "bootstrap"), default="mcnemar"),
    ] = None,
    json: Annotated[bool, Flag("print JSON")] = False,
) -> None:
    """Score a system's trees, or compare two systems.

    A second system is compared with the first, and the difference tested for significance.
    """
    from dodona import evaluation
    from dodona.evaluation.pairs import load

    if text:
        if system2 or not punctuation or labels != "exact" or details or test:
            raise UsageError("--text has its own rules, for one system: it goes with --json only")
        _show(evaluation.evaluate_text(gold, system), json=json)
        return
    if graphs:
        if system2 or details or test or labels != "exact" or not punctuation:
            raise UsageError("--graphs scores one system, with all arcs and whole labels")
        of_graphs = evaluation.evaluate_graphs(gold, system)
        print(json_.dumps(of_graphs.to_dict(), indent=2) if json else of_graphs.table())
        return
    if test and not system2:
        raise UsageError("--test compares two systems: name a second one")
    options: Any = {"punctuation": punctuation, "labels": labels}
    trees = load(gold)
    names = [name for name in (system, system2) if name]
    systems = [load(name) for name in names]
    scores = [evaluation.evaluate(trees, found, **options) for found in systems]
    comparisons: dict[str, evaluation.Comparison] = {}
    if system2:
        options["test"] = test or "mcnemar"
        for metric in ("uas", "las"):
            comparisons[metric] = evaluation.compare(trees, *systems, metric=metric, **options)
    if json:
        print(json_.dumps(_to_data(names, scores, comparisons), ensure_ascii=False, indent=2))
        return
    for letter, name, found in zip("AB", names, scores, strict=False):
        if system2:
            print(f"{letter}: {name}\n")
        print(found.table(details=details))
    print("\n".join(comparison.table() for comparison in comparisons.values()), end="")


def _show(scores: Any, *, json: bool) -> None:
    if json:
        print(json_.dumps(scores.to_dict(), ensure_ascii=False, indent=2))
    else:
        print(scores.table(), end="")


def _to_data(names: list[str], scores: list[Any], comparisons: dict[str, Any]) -> Any:
    """The scores of one system; of two, a list with their names, and the comparisons."""
    if not comparisons:
        return scores[0].to_dict()
    return {
        "systems": [
            {"name": name, **found.to_dict()} for name, found in zip(names, scores, strict=True)
        ],
        "comparisons": {metric: found.to_dict() for metric, found in comparisons.items()},
    }
