"""An Improved Non-monotonic Transition System (Honnibal & Johnson 2015), section 5.

Four transition systems of one family, from the arc-eager original to one that may take back a
SHIFT at any time, with the same features and each trained with its dynamic oracle.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dodona.clustering.clusters import cluster, read_words, write_clusters
from dodona.parsing.parser import Parser
from dodona.settings import Settings
from dodona.treebank.sentence import Sentence
from dodona_papers.paper import Option, Paper
from dodona_papers.reporting.exhibits import (
    METRICS,
    differences,
    numbers,
    score_rows,
    settings_table,
)
from dodona_papers.reporting.report import Report, Section
from dodona_papers.reporting.study import Study
from dodona_papers.reporting.summary import Summary
from dodona_papers.reporting.tables import Table
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.nonmonotonic_repairs import HELPED, HURT, NEITHER, REPAIRS, count_repairs
from dodona_papers.running.runs import Job, Result

ORIGINAL, OURS = "arc-eager", "nonmonotonic"
ROOTLESS = "arc-eager, no root"
VARIANTS = {
    ORIGINAL: "Orig. Arc Eager",
    ROOTLESS: "… without a root",
    "arc-eager-tree": "Tree Constrained",
    "nonmonotonic-2013": "Prev. Non-Monotonic",
    OURS: "This work",
}
# Table 2, on the test set of OntoNotes with predicted tags and clusters; no figure for the second.
IN_PAPER = [name for name in VARIANTS if name != ROOTLESS]
TABLE_2 = {
    "uas": dict(zip(IN_PAPER, (91.25, 91.40, 91.36, 91.85), strict=True)),
    "las": dict(zip(IN_PAPER, (89.40, 89.50, 89.52, 89.91), strict=True)),
}
BASE = Settings(features="rich", projectivise="head", training="explore", epochs=15, tags="gold")
CONDITIONS = {
    "gold": "Gold tags",
    "clusters": "Gold tags, and clusters of the training text",
    "predicted": "Tags predicted by a tagger trained beside the parser",
}
N_CLUSTERS, MIN_COUNT = 500, 2  # the best values found for texts of this size

HOW = (
    "All systems are trained with the dynamic oracle and exploration, on the same templates, and "
    "trees projectivised for training but not for testing. Arc-eager has its artificial root "
    "first, as by default, and once none, as the other systems. The parser of the last epoch is "
    "scored; the dev set decides nothing. The paper's figures are for OntoNotes with predicted "
    "tags and clusters from much more text: compare the differences between rows, not the rows."
)
EFFECTS = (
    "A repair helped where the word it concerns had a wrong head, or none, and has the right one "
    "in the end; it hurt where the head had been right. Sums over seeds, on the test sets."
)


def compare(study: Study, conditions: Sequence[str]) -> None:
    """Train all systems under each condition."""
    summaries = {}
    with _cluster_files(study.treebanks if "clusters" in conditions else [], study.page) as files:
        for condition in conditions:
            jobs = _list_jobs(study, condition, files)
            summaries[condition] = Summary(study.run(jobs, Result.from_record))
    about = {"settings": study.settings.flat(), "paper": TABLE_2}
    found = {name: numbers(summary, OURS, ORIGINAL) for name, summary in summaries.items()}
    study.publish(build_report(summaries, study.settings), {**about, "conditions": found})


PAPER = Paper(
    "honnibal-johnson-2015",
    BASE,
    compare,
    own={"conditions": Option("where tags and clusters come from", tuple(CONDITIONS))},
)


def measure_repairs(parser: Parser, test: list[Sentence]) -> dict[str, Any]:
    """Count the repairs on the test set, their effects, and the lengths of derivations."""
    counts: Counter[tuple[str, str]] = Counter()
    n_transitions = 0
    for sentence in test:
        steps = parser.trace(sentence)
        counts += count_repairs(steps, sentence.heads)
        n_transitions += len(steps) - 1
    return {
        "n_words": sum(map(len, test)),
        "n_transitions": n_transitions,
        "repairs": [[kind, effect, n] for (kind, effect), n in sorted(counts.items())],
    }


def _list_jobs(study: Study, condition: str, cluster_files: dict[str, Path]) -> list[Job]:
    """Return a job for every seed, treebank and system."""
    jobs = []
    for seed in study.seeds:
        for treebank in study.treebanks:
            settings = study.settings.replace(seed=seed)
            if condition == "clusters":
                settings = settings.replace(clusters=str(cluster_files[treebank.name]))
            elif condition == "predicted":
                settings = settings.replace(tags="predicted")
            jobs += [
                Job(treebank, name, _variant(name, settings), measure_repairs) for name in VARIANTS
            ]
    return jobs


def _variant(name: str, settings: Settings) -> Settings:
    if name == ROOTLESS:
        return settings.replace(system=ORIGINAL, root="none")
    return settings.replace(system=name)


@contextmanager
def _cluster_files(
    treebanks: Sequence[TreebankFolder], page: Path | None
) -> Iterator[dict[str, Path]]:
    """Compute the clusters of each train set, in files beside the report if there is one."""
    folder = page.with_suffix(".clusters") if page else Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    try:
        files = {treebank.name: folder / f"{treebank.name}.txt" for treebank in treebanks}
        for treebank in treebanks:
            if not files[treebank.name].exists():
                text = read_words(treebank.part("train"))
                found = cluster(text, clusters=N_CLUSTERS, min_count=MIN_COUNT)
                write_clusters(found, files[treebank.name])
        yield files
    finally:
        if not page:
            shutil.rmtree(folder)


def build_report(summaries: dict[str, Summary], settings: Settings) -> Report:
    """Return the paper's Table 2 beside ours for each condition, and counts of repairs."""
    seeds = next(iter(summaries.values())).seeds
    sections = [Section("What was found", [_finding(name, s) for name, s in summaries.items()])]
    for name, summary in summaries.items():
        paper = {"average": TABLE_2["uas"][OURS] - TABLE_2["uas"][ORIGINAL]}
        tested = differences(summary, OURS, ORIGINAL, "uas", "words", paper)
        sections.append(Section(CONDITIONS[name], [_scores(summary), tested, _repairs(summary)]))
    commits = [commit for summary in summaries.values() for commit in summary.commits]
    used = settings_table(settings, seeds, commits, system=list(VARIANTS))
    sections.append(Section("How it was run", [HOW, used]))
    return Report("Non-monotonic parsing: Honnibal & Johnson (2015) again", sections)


def _finding(condition: str, summary: Summary) -> str:
    gains = [
        summary.average(OURS, metric, "words") - summary.average(ORIGINAL, metric, "words")
        for metric in METRICS
    ]
    theirs = [f"{paper[OURS] - paper[ORIGINAL]:+.2f}" for paper in TABLE_2.values()]
    n_better, n_worse, _ = summary.sign_test(OURS, ORIGINAL, "uas", "words")
    return (
        f"{CONDITIONS[condition]}: {OURS} changes UAS by {gains[0].with_sign()} and LAS by "
        f"{gains[1].with_sign()} against {ORIGINAL}, on average over treebanks without "
        f"punctuation; it is better on {n_better} and worse on {n_worse} of "
        f"{len(summary.treebanks)}. In the paper: {theirs[0]} and {theirs[1]}."
    )


def _scores(summary: Summary) -> Table:
    rows = []
    for metric, title in METRICS.items():
        rows.append([title])
        paper = TABLE_2[metric]
        theirs = [f"{paper[name]:.2f}" if name in paper else "" for name in VARIANTS]
        theirs += [
            f"{paper[name] - paper[ORIGINAL]:+.2f}" if name in paper else ""
            for name in VARIANTS
            if name != ORIGINAL
        ]
        ours = score_rows(summary, VARIANTS, metric, "words")
        rows += [[*row, cell] for row, cell in zip(ours, theirs, strict=True)]
    return Table(
        "Test sets, without punctuation",
        ["", *summary.treebanks, "average", "paper"],
        rows,
        "Mean and standard deviation over seeds.",
    )


def _repairs(summary: Summary) -> Table:
    """Return the repairs of every system, summed over treebanks and seeds."""
    rows = []
    for variant, title in VARIANTS.items():
        n_words = n_transitions = 0
        counts: Counter[tuple[str, str]] = Counter()
        for treebank in summary.treebanks:
            for measured in summary.measures(treebank, variant):
                n_words += measured["n_words"]
                n_transitions += measured["n_transitions"]
                counts.update({(kind, effect): n for kind, effect, n in measured["repairs"]})
        rows.append([f"{title}: {n_transitions / n_words:.2f} transitions per word"])
        for kind in REPAIRS:
            found = [counts[kind, effect] for effect in (HELPED, HURT, NEITHER)]
            if any(found):
                per_thousand = f"{1000 * sum(found) / n_words:.2f}"
                rows.append([kind, per_thousand, *map(str, found)])
    header = ["", "per 1,000 words", HELPED, HURT, NEITHER]
    return Table("Repairs", header, rows, EFFECTS)
