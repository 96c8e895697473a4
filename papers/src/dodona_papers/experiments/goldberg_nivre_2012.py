"""A Dynamic Oracle for Arc-Eager Dependency Parsing (Goldberg & Nivre 2012), section 5.

A greedy arc-eager parser is trained in three ways that differ in what training follows: the static
oracle, any optimal transition (ambiguity), or mostly its own predictions, right or wrong (explore).
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from dodona.settings import Settings
from dodona_papers.paper import Paper
from dodona_papers.reporting.exhibits import (
    METRICS,
    differences,
    learning_curves,
    numbers,
    p_value,
    score_rows,
    settings_table,
)
from dodona_papers.reporting.report import Report, Section
from dodona_papers.reporting.study import Study
from dodona_papers.reporting.summary import Summary
from dodona_papers.reporting.tables import Table
from dodona_papers.running.data import language_code
from dodona_papers.running.runs import Result, list_jobs

VARIANTS = {
    "static": "Static",
    "ambiguity": "Dynamic-ambiguity",
    "explore": "Dynamic-explore",
}
# Section 5. The paper does not drop features, hence prune=1.
PAPER_SETTINGS = Settings(
    system="arc-eager",
    root="first",  # section 2: the start state is ([0], [1, …, n], {})
    explore_after=2,
    explore_rate=0.9,
    epochs=15,
    features="zn11",
    projectivise="baseline",
    loss="labelled",
    learner="perceptron",
    prune=1,
)

# Table 2, on the test sets of CoNLL 2007, without punctuation.
LANGUAGES = ("ARA", "BAS", "CAT", "CHI", "CZE", "ENG", "GRE", "HUN", "ITA", "TUR")
TABLE_2: dict[str, dict[str, tuple[float, ...]]] = {
    "uas": {
        "static": (80.60, 74.10, 91.21, 84.13, 78.00, 86.24, 79.16, 77.75, 84.11, 79.02),
        "ambiguity": (80.72, 74.90, 91.09, 83.62, 78.38, 86.83, 79.48, 76.17, 84.52, 78.97),
        "explore": (83.06, 76.10, 92.01, 84.65, 79.54, 88.81, 80.66, 77.10, 84.77, 78.84),
    },
    "las": {
        "static": (71.04, 64.42, 85.96, 79.75, 69.49, 84.90, 70.94, 68.10, 79.93, 68.80),
        "ambiguity": (71.06, 65.18, 85.73, 79.24, 69.39, 85.56, 71.88, 66.99, 80.63, 68.58),
        "explore": (73.54, 66.77, 86.60, 80.74, 71.32, 87.60, 73.83, 68.23, 81.02, 68.76),
    },
}
# the language codes of treebanks
CODES = dict(
    zip(("ar", "eu", "ca", "zh", "cs", "en", "el", "hu", "it", "tr"), LANGUAGES, strict=True)
)

DATA_DIFFER = (
    "The paper's figures are for the treebanks of the CoNLL 2007 shared task, ours for the "
    "treebanks named. Even where the language is the same, texts, annotation and size differ: "
    "compare the differences between rows, not the rows."
)
HOW = (
    "As in section 5 of the paper: the same features and settings for every treebank, an averaged "
    "perceptron, gold tags in training and testing, trees projectivised for training but not for "
    "testing. The parser of the last epoch is scored; the dev set draws the learning curves and "
    "decides nothing. In the paper the artificial root stands first, and any number of words may "
    "hang on it; here root is {root} and roots is {roots}."
)


def compare(study: Study) -> None:
    """Train with all three methods."""
    variants = {name: study.settings.replace(training=name) for name in VARIANTS}
    jobs = list_jobs(study.treebanks, variants, study.seeds)
    summary = Summary(study.run(jobs, Result.from_record))
    about = {"settings": study.settings.flat(), "paper": {"languages": LANGUAGES, **TABLE_2}}
    found = numbers(summary, "explore", "static")
    study.publish(build_report(summary, study.settings), {**about, **found})


PAPER = Paper("goldberg-nivre-2012", PAPER_SETTINGS, compare, free=("epochs", "root"))


def build_report(summary: Summary, settings: Settings) -> Report:
    """Return the paper's tables beside ours, with significance and learning curves."""
    paper = {
        name: gain(CODES[language_code(name)])
        for name in summary.treebanks
        if language_code(name) in CODES
    }
    found = differences(
        summary, "explore", "static", "las", "words", {**paper, "average": gain(*LANGUAGES)}
    )
    how = HOW.format(root=settings.root, roots=settings.roots)
    settings_used = settings_table(
        settings, summary.seeds, summary.commits, training=list(VARIANTS)
    )
    return Report(
        "Static and dynamic oracles: Goldberg & Nivre (2012) again",
        [
            Section("What was found", [_finding(summary), found]),
            Section("The paper's Table 2", [DATA_DIFFER, _without_punctuation(summary), _paper()]),
            Section("With punctuation", [_with_punctuation(summary)]),
            Section("Learning curves", learning_curves(summary, VARIANTS)),
            Section("How it was run", [how, settings_used]),
        ],
    )


def gain(*languages: str) -> float:
    """Return the paper's gain in LAS of explore over static, averaged over some languages.

    >>> round(gain(*LANGUAGES), 2), round(gain("ENG"), 2)
    (1.51, 2.7)
    """
    las = TABLE_2["las"]
    places = [LANGUAGES.index(language) for language in languages]
    return fmean(las["explore"][i] - las["static"][i] for i in places)


def _finding(summary: Summary) -> str:
    n_better, n_worse, p = summary.sign_test("explore", "static", "las", "words")
    ours = summary.average("explore", "las", "words") - summary.average("static", "las", "words")
    return (
        f"Exploring changes LAS without punctuation by {ours.with_sign()} against the static "
        "oracle, on average over treebanks; in the paper, over ten languages, by "
        f"{gain(*LANGUAGES):+.2f}. "
        f"{_finding_of_shared(summary)}It is better on {n_better} and worse on {n_worse} of "
        f"{len(summary.treebanks)} treebanks (sign test: p {p_value(p)}). "
        f"Seeds: {len(summary.seeds)}."
    )


def _finding_of_shared(summary: Summary) -> str:
    shared = [name for name in summary.treebanks if language_code(name) in CODES]
    if not shared:
        return ""
    ours = fmean(
        summary.score(name, "explore", "las", "words").mean
        - summary.score(name, "static", "las", "words").mean
        for name in shared
    )
    theirs = gain(*(CODES[language_code(name)] for name in shared))
    return (
        f"On the treebanks of languages that the paper has too, {', '.join(shared)}, it is "
        f"{ours:+.2f} here and {theirs:+.2f} there. "
    )


def _without_punctuation(summary: Summary) -> Table:
    rows = []
    for metric, title in METRICS.items():
        rows += [[title], *score_rows(summary, VARIANTS, metric, "words")]
        rows += [
            [f"{title} in the paper"],
            *_paper_rows(metric, map(language_code, summary.treebanks)),
        ]
    header = [
        f"{name} ({CODES[language_code(name)]})" if language_code(name) in CODES else name
        for name in summary.treebanks
    ]
    return Table(
        "Test sets, without punctuation",
        ["", *header, "average"],
        rows,
        "Mean and standard deviation over seeds. The paper's average is over its ten languages.",
    )


def _with_punctuation(summary: Summary) -> Table:
    rows = []
    for metric, title in METRICS.items():
        rows += [[title], *score_rows(summary, VARIANTS, metric, "all")]
    return Table(
        "Test sets, with punctuation",
        ["", *summary.treebanks, "average"],
        rows,
        "The paper has no figures with punctuation.",
    )


def _paper() -> Table:
    rows = []
    for metric, title in METRICS.items():
        rows += [[title], *_paper_rows(metric, CODES)]
    header = ["", *CODES.values(), "average"]
    return Table("Table 2 of the paper, complete", header, rows, folded=True)


def _paper_rows(metric: str, codes: Iterable[str]) -> list[list[str]]:
    """Return a row per training method with a column per language, empty if not in the paper."""
    codes = list(codes)
    rows = []
    for variant, title in VARIANTS.items():
        scores = dict(zip(CODES, TABLE_2[metric][variant], strict=True))
        cells = [f"{scores[code]:.2f}" if code in scores else "" for code in codes]
        rows.append([title, *cells, f"{fmean(scores.values()):.2f}"])
    return rows
