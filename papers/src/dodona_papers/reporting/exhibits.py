"""Parts of most reports: scores, differences, learning curves and settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dodona.settings import Settings
from dodona_papers.reporting.plot import Panel, line_plots
from dodona_papers.reporting.report import Figure
from dodona_papers.reporting.summary import Summary
from dodona_papers.reporting.tables import Table
from dodona_papers.running.counts import SCORED

METRICS = {"uas": "Unlabeled", "las": "Labeled"}  # attachment scores
Titles = Mapping[str, str]  # of variants in tables


def score_rows(summary: Summary, titles: Titles, metric: str, scored: str) -> list[list[str]]:
    """Return a row per variant, with a column per treebank and one for the average.

    Rows of differences from the first variant follow.
    """
    scores = {
        variant: [
            *(summary.score(name, variant, metric, scored) for name in summary.treebanks),
            summary.average(variant, metric, scored),
        ]
        for variant in titles
    }
    rows = [[titles[variant], *map(str, scores[variant])] for variant in titles]
    first, *others = titles
    for variant in others:
        gains = [a - b for a, b in zip(scores[variant], scores[first], strict=True)]
        rows.append([f"{variant} - {first}", *(gain.with_sign() for gain in gains)])
    return rows


def differences(
    summary: Summary, a: str, b: str, metric: str, scored: str, paper: Mapping[str, float]
) -> Table:
    """Return a table of the differences of variants `a` and `b`, with significance tests.

    `paper` has the paper's differences by treebank, and under "average".
    """
    rows = []
    for name in summary.treebanks:
        test = summary.difference(name, a, b, metric, scored)
        low, high = test.interval
        scores = [summary.score(name, variant, metric, scored) for variant in (b, a)]
        tested = [test.score.with_sign(), f"{low:+.2f} to {high:+.2f}", p_value(test.p)]
        rows.append([name, *map(str, scores), *tested])
    averages = [summary.average(variant, metric, scored) for variant in (b, a)]
    gain = averages[1] - averages[0]
    rows.append(["average", *map(str, averages), gain.with_sign(), "", ""])
    for row in rows:
        row.append(f"{paper[row[0]]:+.2f}" if row[0] in paper else "")
    return Table(
        f"{metric.upper()} {_words(scored)}: {a} against {b}",
        ["", b, a, "difference", "95% interval", "p", "paper"],
        rows,
        "Mean and standard deviation over seeds; interval and two-sided p by the paired bootstrap "
        "over sentences.",
    )


def learning_curves(summary: Summary, titles: Titles, metric: str = "las") -> tuple[Figure, Table]:
    """Return the dev LAS or UAS by epoch as a plot with a panel per treebank, and as a table."""
    panels = [
        Panel(name, {title: summary.curve(name, v, metric) for v, title in titles.items()})
        for name in summary.treebanks
    ]
    rows = []
    for panel in panels:
        rows.append([panel.title])
        rows += [[title, *(f"{y:.2f}" for y in line)] for title, line in panel.lines.items()]
    epochs = [str(epoch) for epoch in range(1, len(rows[1]))]
    title = f"{metric.upper()} on the dev set after each epoch, {_words('words')}, mean over seeds"
    return (
        Figure("curves", line_plots(panels, title=title, x_label="epoch"), title),
        Table("The learning curves in figures", ["epoch", *epochs], rows, folded=True),
    )


def effort_curves(summary: Summary, titles: Titles, metric: str, unit: str, x_label: str) -> Figure:
    """Plot the dev LAS or UAS against the effort of training, "n_updates" or "cpu_seconds"."""
    panels = [
        Panel(
            name,
            {title: summary.curve(name, v, metric) for v, title in titles.items()},
            {title: summary.effort(name, v, unit) for v, title in titles.items()},
        )
        for name in summary.treebanks
    ]
    title = f"{metric.upper()} on the dev set by {x_label}, {_words('words')}, mean over seeds"
    name = f"curves-{unit.replace('_', '-')}"
    return Figure(name, line_plots(panels, title=title, x_label=x_label), title)


def settings_table(
    settings: Settings, seeds: Sequence[int], commits: Iterable[str], **varied: Sequence[str]
) -> Table:
    """Return a table of settings and commits; `varied` are settings that differ by variant."""
    unused = vars(settings.unused)
    values = {key: str(value) for key, value in settings.flat().items() if key not in unused}
    several = {**varied, "seed": seeds, "commit": sorted(set(commits) - {""}) or ["unknown"]}
    values |= {key: ", ".join(map(str, given)) for key, given in several.items()}
    rows = [[key, value] for key, value in values.items()]
    return Table("Settings", ["setting", "value"], rows, folded=True)


def numbers(summary: Summary, a: str, b: str) -> dict[str, Any]:
    """Return all numbers as JSON data: scores, differences of `a` and `b`, learning curves."""
    scores: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for scored, punctuation in SCORED.items():
        for metric in METRICS:
            for name in summary.treebanks:
                about = {"treebank": name, "metric": metric, "punctuation": punctuation}
                for variant in summary.variants:
                    by_seed = summary.score(name, variant, metric, scored).by_seed
                    scores.append({**about, "variant": variant, "by_seed": by_seed})
                test = summary.difference(name, a, b, metric, scored)
                found = {"mean": test.score.mean, "interval": test.interval, "p": test.p}
                tests.append({**about, "a": a, "b": b, **found})
    curves = {
        name: {variant: summary.curve(name, variant) for variant in summary.variants}
        for name in summary.treebanks
    }
    return {"seeds": summary.seeds, "scores": scores, "differences": tests, "dev_las": curves}


def p_value(p: float) -> str:
    """Format a p-value.

    >>> p_value(0.0312), p_value(0.00002)
    ('0.031', '<0.001')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _words(scored: str) -> str:
    return "with punctuation" if SCORED[scored] else "without punctuation"
