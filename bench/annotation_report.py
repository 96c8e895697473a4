"""Make the table and the plot of a simulated annotation from what `annotation.py` has written.

python bench/annotation_report.py POINTS.jsonl… [--plot docs/images/annotating.svg]

Runs with different seeds are averaged at the same numbers of decisions. LAS of one run goes up and
down by a point or more from round to round, and the first value above a goal would reward curves
with many points: curves are smoothed by a running mean before they are averaged.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "papers" / "src"))
from dodona_papers.reporting.plot import Panel, line_plots

FULL = "full annotation"
COUNTS = ("decisions", "with glances", "arcs judged")
WINDOW = 3  # rounds of the running mean
STEPS = 200  # of a curve, up to the decisions of full annotation …
MOST = 300  # … and beyond, for sentences longer than others
Run = list[dict[str, Any]]
Curve = list[tuple[float, float]]  # share of the decisions of full annotation, LAS


def share(point: dict[str, Any], count: str) -> float:
    """Return what a point has cost, as a share of the decisions of full annotation."""
    effort = point["effort"]
    found: int = effort["n_judged"] if count == COUNTS[2] else effort["n_set"]
    if count == COUNTS[1]:
        found += effort["n_glances"]
    return found / int(point["full"])


def smoothed(values: Sequence[float]) -> list[float]:
    """Return running means; at the ends the window is smaller, but stays symmetric.

    >>> smoothed([1, 2, 6, 2, 1])
    [1, 3, 3.3333333333333335, 3, 1]
    """
    half = WINDOW // 2
    reach = [min(i, len(values) - 1 - i, half) for i in range(len(values))]
    return [mean(values[i - n : i + n + 1]) for i, n in enumerate(reach)]


def interpolated(curve: Curve, x: float) -> float | None:
    """Return the value of a curve, linear between its points, or None beyond its ends.

    >>> interpolated([(0, 1.0), (2, 3.0)], 1)
    2.0
    """
    for (before, low), (after, high) in pairwise(curve):
        if before <= x <= after:
            return low + (high - low) * ((x - before) / ((after - before) or 1))
    return None


def averaged(runs: Iterable[Run], count: str) -> Curve:
    """Return the mean of smoothed curves, wherever all of them have a value."""
    curves = [
        [*zip((share(p, count) for p in run), smoothed([p["las"] for p in run]), strict=True)]
        for run in runs
    ]
    found = []
    for step in range(MOST + 1):
        values = [interpolated(curve, step / STEPS) for curve in curves]
        if None not in values:
            found.append((step / STEPS, mean(value for value in values if value is not None)))
    ends = [curve[-1] for curve in curves]
    end = mean(x for x, _ in ends), mean(y for _, y in ends)
    return [*(point for point in found if point[0] < end[0]), end]


def reached(curve: Curve, goal: float) -> float | None:
    """Return the share of decisions at which a curve first reaches a goal.

    >>> reached([(0.1, 60.0), (0.2, 61.0), (0.3, 63.0)], 61.0)
    0.2
    """
    return next((x for x, las in curve if las >= goal), None)


def grouped(points: Iterable[dict[str, Any]]) -> dict[tuple[str, str], dict[str, list[Run]]]:
    """Return runs by treebank and scorer, and then by strategy."""
    runs: dict[tuple[str, ...], Run] = defaultdict(list)
    for point in points:
        key = point["treebank"], point["scorer"], point["strategy"], str(point["seed"])
        runs[key].append(point)
    found: dict[tuple[str, str], dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for (treebank, scorer, strategy, _), run in runs.items():
        found[treebank, scorer][strategy].append(run)
    return found


def at_third(curve: Curve) -> float:
    """Return the value of a curve at a third of the decisions, or at its end if it has no more.

    >>> at_third([(0.0, 60.0), (0.2, 70.0)])
    70.0
    """
    found = interpolated(curve, 1 / 3)
    return curve[-1][1] if found is None else found


def rows(name: str, strategies: dict[str, list[Run]]) -> Iterator[list[object]]:
    """Yield a row for each strategy: LAS, and by each count what reaches that of full annotation.

    LAS is that of the end, and that at a third of the decisions with glances. A network has one
    point, at which its run ended.
    """
    goal = mean(run[-1]["las"] for run in strategies[FULL])
    for strategy, runs in strategies.items():
        curves = [averaged(runs, count) for count in COUNTS]
        las = mean(run[-1]["las"] for run in runs), at_third(curves[1])
        found = [curve[-1][0] if len(curve) == 1 else reached(curve, goal) for curve in curves]
        shares = ("not reached" if x is None else f"{100 * x:.0f}%" for x in found)
        yield [f"{name}, {strategy}", *(round(one, 2) for one in las), *shares]


def main() -> None:
    """Print rows for docs/figures.toml, and write the plot."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="+", type=Path)
    arguments.add_argument("--plot", help="SVG file of the curves of linear parsers", type=Path)
    arguments.add_argument("--count", help="x axis of the plot", choices=COUNTS, default=COUNTS[1])
    chosen = arguments.parse_args()
    plot, count = chosen.plot, chosen.count
    lines = [line for one in chosen.files for line in one.read_text(encoding="utf-8").splitlines()]
    panels = []
    for (treebank, scorer), strategies in grouped(map(json.loads, lines)).items():
        for row in rows(f"{treebank}, {scorer}", strategies):
            print(f"  {json.dumps(row, ensure_ascii=False)},")
        curves = {name: averaged(runs, count)[::4] for name, runs in strategies.items()}
        if scorer == "linear":
            panels.append(
                Panel(
                    treebank,
                    {name: [las for _, las in curve] for name, curve in curves.items()},
                    {name: [100 * x for x, _ in curve] for name, curve in curves.items()},
                )
            )
    if plot is not None:
        title = "LAS on the dev set against decisions"
        x_label = f"{count}, % of full annotation"
        plot.write_text(line_plots(panels, title=title, x_label=x_label), encoding="utf-8")


if __name__ == "__main__":
    main()
