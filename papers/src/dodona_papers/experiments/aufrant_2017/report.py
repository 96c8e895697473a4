"""The report of `aufrant_2017`: the paper's tables beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any

from dodona.evaluation.score_counts import percentage
from dodona.evaluation.tally import QUARTERS
from dodona.settings import Settings
from dodona_papers.experiments.aufrant_2017.biases import N_JUDGED
from dodona_papers.reporting.exhibits import (
    differences,
    effort_curves,
    learning_curves,
    p_value,
    settings_table,
)
from dodona_papers.reporting.report import Report, Section
from dodona_papers.reporting.summary import Summary
from dodona_papers.reporting.tables import Table
from dodona_papers.running.data import language_code

TITLES = {
    "greedy-static": "GREEDY",
    "greedy": "GREEDY DYN",
    "early": "EARLY",
    "imp-early": "IMP-EARLY from c-",
    "imp-early-good": "IMP-EARLY from c+",
    "maxv": "MAXV",
    "imp-maxv": "IMP-MAXV from c-",
    "imp-maxv-good": "IMP-MAXV from c+",
}
PAPER_TITLES = {variant: title.removesuffix(" from c-") for variant, title in TITLES.items()}
COMPARISONS = (
    ("imp-early", "early"),
    ("imp-early-good", "early"),
    ("imp-maxv", "maxv"),
    ("imp-maxv-good", "maxv"),
    ("early", "greedy"),
    ("imp-early", "greedy"),
)
# Table 1: UAS on the projective sentences of the test sets of SPMRL 2013, without punctuation.
CODES = ("ar", "de", "eu", "fr", "he", "hu", "ko", "pl", "sv")
TABLE_1 = {
    "greedy": (83.98, 90.73, 84.00, 84.23, 83.78, 84.33, 82.79, 87.66, 86.35),
    "early": (85.03, 92.74, 84.42, 86.02, 85.39, 85.63, 82.73, 89.60, 87.00),
    "imp-early": (85.27, 92.89, 84.59, 86.26, 85.84, 85.74, 82.98, 89.55, 87.37),
    "maxv": (85.06, 92.77, 84.59, 86.10, 85.53, 85.57, 82.68, 89.42, 87.16),
    "imp-maxv": (85.04, 92.90, 84.68, 86.26, 85.83, 85.55, 82.94, 90.12, 87.31),
}
# figures for French: Table 2, Table 3 (greedy parsers: from the text), section 3
TABLE_2 = {"early": (90.0, 85.4, 83.1, 84.7), "imp-early": (90.0, 85.3, 84.2, 85.1)}
TABLE_3 = {"early": 0.350, "imp-early": 0.280, "maxv": 0.357, "imp-maxv": 0.277} | {
    "greedy-static": 0.320,
    "greedy": 0.219,
}
SECTION_3 = {
    "finished": {"early": 41, "maxv": 53},
    "considered": {"early": 57, "maxv": 81},
    "worse": {"early": 15},
}

DATA_DIFFER = (
    "The paper's figures are for the treebanks of the SPMRL 2013 shared task, ours for the "
    "treebanks named, and the paper scores the projective sentences of the test sets only, we all "
    "of them. Compare the differences between rows, not the rows."
)
RESTARTING = (
    "Both improvements need the dynamic oracle. After an error, Algorithm 3 of the paper decodes "
    "on from c+, the end of the good derivation; its section 3 then goes one step further and "
    "explores, from c-, the end of the bad one. It does not say which of the two its tables are "
    "for. Here both are run; from c-, exploring starts after as many epochs and is done as often "
    "as settings say."
)
QUARTERS_NOTE = (
    "The first quarter holds the words in the first 25% of their sentence. All seeds together; the "
    "average is over treebanks."
)
DIVERGENCE_NOTE = (
    "Kullback-Leibler divergence in nats, of the features of all configurations that are scored, "
    "in one more epoch of training and on the test set; each count raised by 0.1; mean over seeds. "
    "D(training from parsing) weighs features by how often training sees them. The paper gives one "
    "figure, and says neither its direction nor its unit."
)
TRAINING_NOTE = (
    "In one more epoch after the last. A derivation is considered up to the last update of its "
    "sentence, and whole if there is none; restarting goes on to the end by its nature. Updates "
    f"are judged in the first {N_JUDGED} sentences: by the heads that the beam finds with the "
    "weights just before and just after. Paper: French, in the 10th epoch."
)
CURVES = (
    "In the paper's Figure 1, for French, IMP-EARLY needs as many epochs and as much time as MAXV, "
    "and as many updates as EARLY. Seconds are those of the processor, for training alone."
)
HOW = (
    "As in section 4 of the paper: arc-eager with the root at the end, a beam of {beam}, the "
    "templates {features}, gold coarse tags (UPOS) in training and testing, an averaged "
    "perceptron. {labels} Trees are projectivised for training, but not for testing. The paper "
    "trains until a validation set says to stop; here the parser of the last epoch is scored, and "
    "the dev set draws the learning curves and decides nothing."
)
NO_LABELS = "Arcs have no labels."
LABELS = "Unlike there, arcs have labels, and these are learned."


def build_report(summary: Summary, settings: Settings) -> Report:
    """Return all tables and curves."""
    labels = NO_LABELS if settings.loss == "unlabelled" else LABELS
    how = HOW.format(beam=settings.search.beam, features=settings.features, labels=labels)
    ways = {key: ["as the variant says"] for key in ("training", "update", "oracle", "restart")}
    titles = _curve_titles(summary)
    return Report(
        "Beams and global dynamic oracles: Aufrant, Wisniewski & Yvon (2017) again",
        [
            Section("What was found", [_finding(summary), *_tests(summary)]),
            Section("Table 1", [DATA_DIFFER, RESTARTING, *_table_1(summary)]),
            Section("Table 2: where in the sentence", _table_2(summary)),
            Section("Table 3: training and parsing", [_table_3(summary)]),
            Section("What training looks at", [_section_3(summary)]),
            Section(
                "Figure 1",
                [
                    CURVES,
                    *learning_curves(summary, titles, "uas"),
                    effort_curves(summary, titles, "uas", "n_updates", "updates"),
                    effort_curves(summary, titles, "uas", "cpu_seconds", "CPU seconds"),
                ],
            ),
            Section(
                "How it was run",
                [how, settings_table(settings, summary.seeds, summary.commits, **ways)],
            ),
        ],
    )


def in_paper(a: str, b: str, codes: Iterable[str] = CODES) -> float:
    """Return the paper's difference in UAS of two variants, averaged over languages.

    >>> round(in_paper("imp-early", "early"), 2)
    0.21
    >>> round(in_paper("imp-maxv-good", "maxv", ["pl"]), 2)
    0.7
    """
    rows = [TABLE_1[variant.removesuffix("-good")] for variant in (a, b)]
    return fmean(rows[0][CODES.index(c)] - rows[1][CODES.index(c)] for c in codes)


def _finding(summary: Summary) -> Table:
    rows = []
    for a, b in _pairs(summary):
        gain = summary.average(a, "uas", "words") - summary.average(b, "uas", "words")
        n_better, n_worse, p = summary.sign_test(a, b, "uas", "words")
        cells = [
            gain.with_sign(),
            f"{in_paper(a, b):+.2f}",
            str(n_better),
            str(n_worse),
            p_value(p),
        ]
        rows.append([f"{TITLES[a]} - {TITLES[b]}", *cells])
    return Table(
        "UAS without punctuation, differences on average over treebanks",
        ["", "difference", "paper", "better on", "worse on", "p"],
        rows,
        f"Mean and standard deviation over seeds ({len(summary.seeds)}); p of the sign test over "
        f"treebanks ({len(summary.treebanks)}).",
    )


def _pairs(summary: Summary) -> list[tuple[str, str]]:
    return [(a, b) for a, b in COMPARISONS if {a, b} <= set(summary.variants)]


def _curve_titles(summary: Summary) -> dict[str, str]:
    """Return the variants of Figure 1: of two restarts, the one that explores."""
    return {
        variant: TITLES[variant]
        for variant in summary.variants
        if not variant.startswith("greedy")
        and variant.removesuffix("-good") not in set(summary.variants) - {variant}
    }


def _tests(summary: Summary) -> list[Table]:
    tables = []
    for a, b in _pairs(summary):
        paper = {
            name: in_paper(a, b, [language_code(name)])
            for name in summary.treebanks
            if language_code(name) in CODES
        }
        paper["average"] = in_paper(a, b)
        tables.append(replace(differences(summary, a, b, "uas", "words", paper), folded=True))
    return tables


def _table_1(summary: Summary) -> list[Table]:
    header = ["", *summary.treebanks, "average"]
    rows = [
        [
            TITLES[variant],
            *(str(summary.score(name, variant, "uas", "words")) for name in summary.treebanks),
            str(summary.average(variant, "uas", "words")),
        ]
        for variant in summary.variants
    ]
    codes = [language_code(name) for name in summary.treebanks]
    rows += [["In the paper"], *_paper_rows(codes)]
    note = "Mean and standard deviation over seeds. The paper's average is over its nine languages."
    return [
        Table("UAS on the test sets, without punctuation", header, rows, note),
        Table(
            "Table 1 of the paper, complete",
            ["", *CODES, "average"],
            _paper_rows(CODES),
            folded=True,
        ),
    ]


def _paper_rows(codes: Iterable[str]) -> list[list[str]]:
    codes = list(codes)
    rows = []
    for variant, scores in TABLE_1.items():
        by_code = dict(zip(CODES, scores, strict=True))
        cells = [f"{by_code[code]:.2f}" if code in by_code else "" for code in codes]
        rows.append([PAPER_TITLES[variant], *cells, f"{fmean(scores):.2f}"])
    return rows


def _table_2(summary: Summary) -> list[Table]:
    header = ["quarter", *QUARTERS]
    by_treebank: list[list[str]] = []
    averages: dict[str, list[list[float]]] = {variant: [] for variant in summary.variants}
    for name in summary.treebanks:
        by_treebank.append([name])
        for variant in summary.variants:
            scores = quarter_scores(summary.measures(name, variant))
            averages[variant].append(scores)
            by_treebank.append([TITLES[variant], *(f"{score:.1f}" for score in scores)])
    rows = [
        [TITLES[variant], *(f"{fmean(column):.1f}" for column in zip(*found, strict=True))]
        for variant, found in averages.items()
    ]
    rows.append(["In the paper, French"])
    rows += [[PAPER_TITLES[v], *(f"{score:.1f}" for score in row)] for v, row in TABLE_2.items()]
    return [
        Table("UAS by quarter of the sentence, average", header, rows, QUARTERS_NOTE),
        Table("UAS by quarter of the sentence, by treebank", header, by_treebank, folded=True),
    ]


def quarter_scores(measured: list[dict[str, Any]]) -> list[float]:
    """Return the UAS in each quarter, over all seeds.

    >>> quarter_scores([{"quarters": {"1st": [4, 3], "4th": [2, 1]}}])
    [75.0, 0.0, 0.0, 50.0]
    """
    counts = [[run["quarters"].get(name, [0, 0]) for run in measured] for name in QUARTERS]
    return [percentage(sum(n for _, n in part), sum(n for n, _ in part)) for part in counts]


def _table_3(summary: Summary) -> Table:
    rows = []
    for direction in ("training from parsing", "parsing from training"):
        rows.append([f"D({direction})"])
        value = partial(_divergence, direction)
        rows += _measured_rows(summary, summary.variants, value, "{:.3f}", TABLE_3)
    header = ["", *summary.treebanks, "average", "paper, French"]
    return Table("Divergence of the features", header, rows, DIVERGENCE_NOTE)


def _divergence(direction: str, run: dict[str, Any]) -> float:
    return float(run["divergence"][direction])


def _section_3(summary: Summary) -> Table:
    beams = [variant for variant in summary.variants if not variant.startswith("greedy")]
    measures: dict[str, tuple[str, Callable[[dict[str, Any]], float]]] = {
        "Sentences considered to the end of the derivation, %": (
            "finished",
            lambda run: percentage(run["n_finished"], run["n_sentences"]),
        ),
        "Share of a derivation that is considered, %": (
            "considered",
            lambda run: 100 * float(run["considered"]),
        ),
        "Updates after which fewer heads of the sentence are right, %": (
            "worse",
            lambda run: percentage(run["n_worse"], run["n_judged"]),
        ),
        "… and after which more are, %": (
            "better",
            lambda run: percentage(run["n_better"], run["n_judged"]),
        ),
    }
    rows = []
    for title, (name, value) in measures.items():
        paper = SECTION_3.get(name, {})
        rows += [[title], *_measured_rows(summary, beams, value, "{:.0f}", paper)]
    header = ["", *summary.treebanks, "average", "paper, French"]
    return Table("Sentences and updates", header, rows, TRAINING_NOTE)


def _measured_rows(
    summary: Summary,
    variants: Iterable[str],
    value: Callable[[dict[str, Any]], float],
    form: str,
    paper: Mapping[str, float],
) -> list[list[str]]:
    """Return a row per variant: means over seeds by treebank, average, the paper's figure."""
    rows = []
    for variant in variants:
        means = [fmean(map(value, summary.measures(name, variant))) for name in summary.treebanks]
        cells = [form.format(mean) for mean in [*means, fmean(means)]]
        rows.append(
            [TITLES[variant], *cells, form.format(paper[variant]) if variant in paper else ""]
        )
    return rows
