"""Tokgöz & Eryiğit (2015): transition-based dependency DAG parsing using dynamic oracles.

Three parsers into graphs, in which a word can have several heads: the standard system of Sagae &
Tsujii (2008) and the arc-eager one, both trained with their static oracles, and the arc-eager one
with a dynamic oracle. The paper's treebank of Turkish is replaced by enhanced dependencies.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from dodona.experiments.reporting.blocks import p_value, settings_table
from dodona.experiments.reporting.frame import frame
from dodona.experiments.reporting.report import Report, Section
from dodona.experiments.reporting.tables import Table
from dodona.experiments.running.folds import KINDS, Fold, Task, cross_validate, significance, total
from dodona.settings import Settings

NAME = "tokgoz-eryigit-2015"
VARIANTS = {
    "static-standard": "Static-Standard",
    "static-eager": "Static-Eager",
    "dynamic-eager": "Dynamic-Eager",
}
N_FOLDS = 10
SETTINGS = Settings(epochs=15, graph="enhanced", features="graph")

# Table 1: unlabelled, IMST, ten-fold cross-validation
PAPER = {
    "static-standard": (79.42, 77.56, 78.50),
    "static-eager": (78.90, 76.79, 77.83),
    "dynamic-eager": (79.68, 81.17, 80.42),
}

HOW = (
    "Cross-validation over the train set: every parser is trained on the other folds and scored on "
    "its own, so that dev and test sets are not touched. Templates are the paper's, with pairs and "
    "triples of words beside them. All three parsers are averaged perceptrons, which the paper has "
    "for the dynamic oracle; its static ones have maximum entropy (our learner maxent). Crossing "
    "arcs are lifted by the Head scheme as in the paper; cycles are kept, since enhanced graphs "
    "have them and our systems build them. The dynamic oracle is exact, and errors are explored, "
    "which the paper's training does not do: it follows a random free action after an error. "
    "Precision, recall and F1 are over all arcs of the DEPS column, empty nodes contracted; p is "
    "McNemar's test over the gold arcs, found or not, against Dynamic-Eager."
)


def run(
    data: Path,
    treebanks: Sequence[str] | None = None,
    seeds: int = 1,
    out: Path | None = None,
    quick: bool = False,
    *,
    jobs: int = 1,
    folds: int = N_FOLDS,
    epochs: int = SETTINGS.epochs,
) -> None:
    """Run the comparison, print its table and, given `out`, write the report.

    `out` and `quick` are as in every experiment (`frame`); `folds` of the ten are run.
    """
    if not 1 <= folds <= N_FOLDS:
        raise ValueError(f"folds is from 1 to {N_FOLDS}, not {folds}")
    settings = replace(SETTINGS, epochs=epochs)
    over = frame(NAME, settings, data, treebanks, seeds, out, quick)
    tasks = [
        Task(treebank, variant, replace(chosen, seed=seed), number, N_FOLDS)
        for seed in range(1, over.n_seeds + 1)
        for treebank in over.treebanks
        for number in range(1 if quick else folds)
        for variant, chosen in variants(over.settings).items()
    ]
    found = cross_validate(tasks, over.runs, n_processes=jobs)
    report = build_report(found, over.settings)
    over.publish(report, lambda page: write(page, report, found))


def variants(settings: Settings) -> dict[str, Settings]:
    """The settings of each variant."""
    return {
        "static-standard": replace(settings, system="graph-standard", training="static"),
        "static-eager": replace(settings, system="graph-eager", training="static"),
        "dynamic-eager": replace(settings, system="graph-eager", training="explore"),
    }


def write(page: Path, report: Report, found: Sequence[Fold]) -> list[Path]:
    """Write the report and, for machines, every count as JSON; the paths written."""
    counts = [
        {name: value for name, value in asdict(fold).items() if name not in ("key", "found")}
        for fold in found
    ]
    machine = page.with_suffix(".json")
    text = json.dumps({"experiment": NAME, "paper": PAPER, "folds": counts}, indent=1)
    machine.write_text(text + "\n", encoding="utf-8", newline="\n")
    return [*report.write(page), machine]


def build_report(found: Sequence[Fold], settings: Settings) -> Report:
    """The paper's table, once for each treebank, beside the paper's own figures."""
    treebanks = list(dict.fromkeys(fold.treebank for fold in found))
    tables = [_table(name, [fold for fold in found if fold.treebank == name]) for name in treebanks]
    used = settings_table(
        settings,
        [settings.seed],
        system=["graph-standard", "graph-eager"],
        training=["static", "explore"],
    )
    return Report(
        "Graphs with dynamic oracles: Tokgöz & Eryiğit (2015) again",
        [
            Section("What was found", [_finding(found, treebanks), *tables]),
            Section("The paper's Table 1", [_paper_table()]),
            Section("How it was run", [HOW, used]),
        ],
    )


def _of(found: Sequence[Fold], variant: str) -> list[Fold]:
    return [fold for fold in found if fold.variant == variant]


def _gain(found: Sequence[Fold], kind: str) -> float:
    """F1 of the dynamic oracle above the better static system."""
    f1 = {variant: total(_of(found, variant), kind).f1 for variant in VARIANTS}
    return f1["dynamic-eager"] - max(f1["static-standard"], f1["static-eager"])


def _finding(found: Sequence[Fold], treebanks: Sequence[str]) -> str:
    gains = []
    for name in treebanks:
        here = [fold for fold in found if fold.treebank == name]
        gains.append(
            f"on {name} by {_gain(here, 'unlabelled'):+.2f} unlabelled and "
            f"{_gain(here, 'labelled'):+.2f} labelled"
        )
    paper = PAPER["dynamic-eager"][2] - PAPER["static-standard"][2]
    return (
        f"F1 of Dynamic-Eager differs from that of the better static system {', '.join(gains)} "
        f"(in the paper, unlabelled, {paper:+.2f})."
    )


def _table(name: str, found: Sequence[Fold]) -> Table:
    rows = []
    best = _of(found, "dynamic-eager")
    for kind in KINDS:
        rows.append([kind.capitalize()])
        for variant, title in VARIANTS.items():
            folds = _of(found, variant)
            arcs = total(folds, kind)
            scores = [f"{score:.2f}" for score in (arcs.precision, arcs.recall, arcs.f1)]
            p = "" if variant == "dynamic-eager" else p_value(significance(best, folds, kind))
            rows.append([title, *scores, p])
    n_folds = len({fold.number for fold in best})
    note = f"{n_folds} of {N_FOLDS} folds; p: McNemar's test against Dynamic-Eager."
    return Table(f"Enhanced graphs of {name}", ["", "P", "R", "F1", "p"], rows, note)


def _paper_table() -> Table:
    rows = [[VARIANTS[v], *(f"{score:.2f}" for score in scores)] for v, scores in PAPER.items()]
    return Table("IMST, unlabelled, ten folds", ["", "P", "R", "F1"], rows)
