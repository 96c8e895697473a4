"""Tokgöz & Eryiğit (2015): transition-based dependency DAG parsing using dynamic oracles.

Three parsers into graphs, in which a word can have several heads: the standard system of Sagae &
Tsujii (2008) and the arc-eager one, both trained with their static oracles, and the arc-eager one
with a dynamic oracle. The paper's treebank of Turkish is replaced by enhanced dependencies.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dodona.settings import Settings
from dodona_papers.paper import Option, Paper
from dodona_papers.reporting.exhibits import p_value, settings_table
from dodona_papers.reporting.report import Report, Section
from dodona_papers.reporting.study import Study
from dodona_papers.reporting.summary import Score
from dodona_papers.reporting.tables import Table
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.folds import (
    KINDS,
    Fold,
    FoldJob,
    has_graphs,
    significance,
    total,
)

VARIANTS = {
    "static-standard": "Static-Standard",
    "static-eager": "Static-Eager",
    "dynamic-eager": "Dynamic-Eager",
}
N_FOLDS = 10
MEASURES = ("precision", "recall", "f1")
SETTINGS = Settings(epochs=15, graph="enhanced", features="graph")

# Unlabelled, IMST, ten-fold cross-validation
TABLE_1 = {
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
    "McNemar's test over the gold arcs, found or not, against Dynamic-Eager. Treebanks without "
    "enhanced dependencies are left out."
)


def compare(study: Study, folds: int) -> None:
    """Train and score all three parsers on the first of the ten folds."""
    if not 1 <= folds <= N_FOLDS:
        raise ValueError(f"folds must be from 1 to {N_FOLDS}, not {folds}")
    treebanks = _with_graphs(study.treebanks)
    jobs = [
        FoldJob(treebank, variant, chosen.replace(seed=seed), number, N_FOLDS)
        for seed in study.seeds
        for treebank in treebanks
        for number in range(folds)
        for variant, chosen in variants(study.settings).items()
    ]
    found = study.run(jobs, Fold.from_record)
    study.publish(build_report(found, study.settings, study.seeds), _numbers(found))


def _with_graphs(treebanks: Sequence[TreebankFolder]) -> list[TreebankFolder]:
    """Return the treebanks with enhanced dependencies, and report the others."""
    found = [treebank for treebank in treebanks if has_graphs(treebank)]
    names = ", ".join(treebank.name for treebank in treebanks if treebank not in found)
    lacking = f"no enhanced dependencies (the column DEPS) in {names}"
    if not found:
        raise ValueError(f"{lacking}: name a treebank that has them")
    if names:
        print(f"{lacking}: left out", file=sys.stderr)
    return found


PAPER = Paper(
    "tokgoz-eryigit-2015",
    SETTINGS,
    compare,
    own={"folds": Option("how many of the ten folds to run", N_FOLDS, quick=1)},
)


def variants(settings: Settings) -> dict[str, Settings]:
    """Return the settings of each variant."""
    return {
        "static-standard": settings.replace(system="graph-standard", training="static"),
        "static-eager": settings.replace(system="graph-eager", training="static"),
        "dynamic-eager": settings.replace(system="graph-eager", training="explore"),
    }


def _numbers(found: Sequence[Fold]) -> dict[str, Any]:
    counts = [
        {name: value for name, value in asdict(fold).items() if name not in ("key", "found")}
        for fold in found
    ]
    return {"paper": TABLE_1, "folds": counts}


def build_report(found: Sequence[Fold], settings: Settings, seeds: Sequence[int]) -> Report:
    """Return the paper's table for each treebank, and the paper's own."""
    treebanks = list(dict.fromkeys(fold.treebank for fold in found))
    tables = [_table(name, [fold for fold in found if fold.treebank == name]) for name in treebanks]
    used = settings_table(
        settings,
        seeds,
        [fold.commit for fold in found],
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


def _score(folds: Sequence[Fold], kind: str, measure: str) -> Score:
    """Return precision, recall or F1 over all folds, for each seed."""
    seeds = dict.fromkeys(fold.seed for fold in folds)
    by_seed = ([fold for fold in folds if fold.seed == seed] for seed in seeds)
    return Score(tuple(getattr(total(some, kind), measure) for some in by_seed))


def _gain(found: Sequence[Fold], kind: str) -> str:
    """Return the gain in F1 of the dynamic oracle over the better static system."""
    f1 = {variant: _score(_of(found, variant), kind, "f1") for variant in VARIANTS}
    static = max(f1["static-standard"], f1["static-eager"], key=lambda score: score.mean)
    return (f1["dynamic-eager"] - static).with_sign()


def _finding(found: Sequence[Fold], treebanks: Sequence[str]) -> str:
    gains = []
    for name in treebanks:
        here = [fold for fold in found if fold.treebank == name]
        gains.append(
            f"on {name} by {_gain(here, 'unlabelled')} unlabelled and "
            f"{_gain(here, 'labelled')} labelled"
        )
    paper = TABLE_1["dynamic-eager"][2] - TABLE_1["static-standard"][2]
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
            scores = [str(_score(folds, kind, measure)) for measure in MEASURES]
            p = "" if variant == "dynamic-eager" else p_value(significance(best, folds, kind))
            rows.append([title, *scores, p])
    n_folds, n_seeds = len({fold.number for fold in best}), len({fold.seed for fold in best})
    note = (
        f"{n_folds} of {N_FOLDS} folds; seeds: {n_seeds}, mean and standard deviation; p: "
        "McNemar's test against Dynamic-Eager."
    )
    return Table(f"Enhanced graphs of {name}", ["", "P", "R", "F1", "p"], rows, note)


def _paper_table() -> Table:
    rows = [[VARIANTS[v], *(f"{score:.2f}" for score in scores)] for v, scores in TABLE_1.items()]
    return Table("IMST, unlabelled, ten folds", ["", "P", "R", "F1"], rows)
