"""Dynamic oracles under a network: is what was found with perceptrons still true?

Goldberg & Nivre (2012) gained 1.5 points of LAS by exploring, Honnibal & Johnson (2015) 0.6 points
of UAS by repairs, both with linear models of a state's features. A network reads the sentence
before it sees a state: there may be less for oracles to do. Here it is the same for four systems,
each trained in three ways.
"""

from __future__ import annotations

from collections.abc import Sequence

from dodona.settings import NEURAL, Settings
from dodona_papers.paper import Option, Paper
from dodona_papers.reporting.exhibits import (
    METRICS,
    differences,
    learning_curves,
    numbers,
    p_value,
    settings_table,
)
from dodona_papers.reporting.report import Report, Section
from dodona_papers.reporting.study import Study
from dodona_papers.reporting.summary import Summary
from dodona_papers.reporting.tables import Table
from dodona_papers.running.runs import Result, list_jobs

TRAININGS = {"static": "static", "ambiguity": "ambiguity", "explore": "explore"}
EAGER, REPAIRING = "arc-eager", "nonmonotonic"
SYSTEMS = (EAGER, "arc-hybrid", REPAIRING, "swap")
# a small network and fewer epochs than usual, since there are many runs
SETTINGS = Settings(scorer=NEURAL, width=128, layers=2, hidden=128, epochs=15)
# with linear models: LAS on ten treebanks of CoNLL 2007, and UAS on OntoNotes
GAIN_2012, GAIN_2015 = 1.51, 0.60

HOW = (
    "The network reads words and finds tags and trees together; tags are never given. Static "
    "training follows the treebank's own derivation; ambiguity any optimal transition; explore, "
    "from the third epoch on, mostly what the network itself would do. Arc-eager, arc-hybrid and "
    "nonmonotonic learn from projectivised trees and put crossing arcs back after parsing; swap "
    "builds them itself. The parser of the last epoch is scored, without punctuation; the dev set "
    "draws the learning curves and decides nothing. The papers' figures are for linear models and "
    "other treebanks."
)


def compare(study: Study, systems: Sequence[str]) -> None:
    """Train each system with all three methods."""
    jobs = list_jobs(study.treebanks, variants(study.settings, systems), study.seeds)
    summary = Summary(study.run(jobs, Result.from_record))
    found = {
        system: numbers(summary, name(system, "explore"), name(system, "static"))
        for system in systems
    }
    report = build_report(summary, study.settings, systems)
    study.publish(report, {"settings": study.settings.flat(), "systems": found})


PAPER = Paper(
    "dynamic-oracles-neural",
    SETTINGS,
    compare,
    free=("epochs", "width", "layers", "hidden"),
    own={"systems": Option("transition systems", SYSTEMS)},
)


def name(system: str, training: str) -> str:
    """Return the name of a variant."""
    return f"{system}, {training}"


def variants(settings: Settings, systems: Sequence[str]) -> dict[str, Settings]:
    """Return the settings of each variant."""
    return {
        name(system, training): settings.replace(system=system, training=training)
        for system in systems
        for training in TRAININGS
    }


def build_report(summary: Summary, settings: Settings, systems: Sequence[str]) -> Report:
    """Return the scores, the gains of exploration and repairs, and learning curves."""
    findings = [_exploring(summary, system) for system in systems]
    compared = [_tested(summary, system) for system in systems]
    if {EAGER, REPAIRING} <= {*systems}:
        findings.append(_repairing(summary))
        pair = name(REPAIRING, "explore"), name(EAGER, "explore")
        compared.append(differences(summary, *pair, "uas", "words", {"average": GAIN_2015}))
    titles = {variant: variant for variant in summary.variants}
    used = settings_table(
        settings, summary.seeds, summary.commits, system=list(systems), training=list(TRAININGS)
    )
    return Report(
        "Dynamic oracles under a neural scorer",
        [
            Section("What was found", findings),
            Section("All scores", [_scores(summary, metric) for metric in METRICS]),
            Section("System by system", compared),
            Section("Learning curves", learning_curves(summary, titles)),
            Section("How it was run", [HOW, used]),
        ],
    )


def _tested(summary: Summary, system: str) -> Table:
    pair = name(system, "explore"), name(system, "static")
    return differences(summary, *pair, "las", "words", {"average": GAIN_2012})


def _exploring(summary: Summary, system: str) -> str:
    """Return the effect of both kinds of dynamic training on a system."""
    static, ambiguity, explore = (
        summary.average(name(system, training), "las", "words") for training in TRAININGS
    )
    pair = name(system, "explore"), name(system, "static")
    n_better, n_worse, p = summary.sign_test(*pair, "las", "words")
    return (
        f"{system}: exploring changes LAS by {(explore - static).with_sign()} against the static "
        f"oracle, ambiguity alone by {(ambiguity - static).with_sign()}, on average over "
        f"treebanks; exploring is better on {n_better} and worse on {n_worse} of "
        f"{len(summary.treebanks)} (sign test: p {p_value(p)}). Goldberg & Nivre, with a "
        f"perceptron and arc-eager: {GAIN_2012:+.2f}."
    )


def _repairing(summary: Summary) -> str:
    """Return the effect of repairs, with exploration in both systems."""
    pair = name(REPAIRING, "explore"), name(EAGER, "explore")
    gains = [
        (summary.average(pair[0], m, "words") - summary.average(pair[1], m, "words")).with_sign()
        for m in METRICS
    ]
    n_better, n_worse, p = summary.sign_test(*pair, "uas", "words")
    return (
        f"{REPAIRING} against {EAGER}, both exploring: UAS {gains[0]}, LAS {gains[1]}; better on "
        f"{n_better} and worse on {n_worse} of {len(summary.treebanks)} treebanks (sign test: p "
        f"{p_value(p)}). Honnibal & Johnson, with a perceptron: {GAIN_2015:+.2f} UAS."
    )


def _scores(summary: Summary, metric: str) -> Table:
    rows = []
    for variant in summary.variants:
        scores = [summary.score(each, variant, metric, "words") for each in summary.treebanks]
        rows.append([variant, *map(str, scores), str(summary.average(variant, metric, "words"))])
    return Table(
        f"{metric.upper()} on the test sets, without punctuation",
        ["", *summary.treebanks, "average"],
        rows,
        "Mean and standard deviation over seeds.",
    )
