"""Don't Stop Me Now! Using Global Dynamic Oracles … (Aufrant, Wisniewski & Yvon 2017), section 4.

An arc-eager parser with a beam is trained by early update and by max-violation: each in the
standard way (one reference derivation, and after an error the rest of the sentence is left), and
improved, with a global dynamic oracle and decoding on from where the error was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dodona.experiments.papers.aufrant_2017.biases import biases
from dodona.experiments.papers.aufrant_2017.report import (
    CODES,
    COMPARISONS,
    TABLE_1,
    build_report,
    in_paper,
)
from dodona.experiments.reporting.blocks import figures
from dodona.experiments.reporting.frame import frame
from dodona.experiments.reporting.report import Report
from dodona.experiments.reporting.summary import Summary
from dodona.experiments.running.grid import grid, run_grid
from dodona.settings import Settings
from dodona.treebank.sentence import Sentence

NAME = "aufrant-2017"
# Section 4. The paper trains until a validation set says to stop, and does not drop features.
PAPER_SETTINGS = Settings(
    system="arc-eager",
    root="last",
    beam=8,
    epochs=10,
    features="zn11-unlabelled",
    projectivise="baseline",
    loss="unlabelled",
    prune=1,
)
# Restarting, the paper's Algorithm 3 goes on from the good derivation, which "can even be further
# improved" by going on from the bad one. Which of the two its tables are for, it does not say.
RESTARTS = ("bad", "good")


def variants(settings: Settings, restarts: Sequence[str] = RESTARTS) -> dict[str, Settings]:
    """The paper's ways to train by name; "imp-early-good" is "imp-early" with the other restart.

    >>> list(variants(PAPER_SETTINGS, ["bad"]))
    ['greedy-static', 'greedy', 'early', 'imp-early', 'maxv', 'imp-maxv']
    """
    greedy = replace(settings, beam=1)
    found = {"greedy-static": replace(greedy, training="static"), "greedy": greedy}
    for name, update in (("early", "early"), ("maxv", "max-violation")):
        way = replace(settings, update=update)
        found[name] = replace(way, oracle="static", restart="none")
        for restart in restarts:
            improved = f"imp-{name}" if restart == "bad" else f"imp-{name}-{restart}"
            found[improved] = replace(way, oracle="dynamic", restart=restart)
    return found


def coarse(sentence: Sentence) -> Sentence:
    """The sentence with UPOS for its only tags."""
    return sentence.replace(xpos=["_"] * len(sentence))


def unlabelled(sentence: Sentence) -> Sentence:
    """The same with one label for all arcs: nothing of labels can be learned or wrong."""
    return coarse(sentence).replace(deprels=["dep"] * len(sentence))


def run(
    data: Path,
    treebanks: Sequence[str] | None = None,
    seeds: int = 5,
    out: Path | None = None,
    quick: bool = False,
    *,
    jobs: int = 1,
    epochs: int | None = None,
    beam: int | None = None,
    features: str | None = None,
    loss: str | None = None,
    restarts: Sequence[str] = RESTARTS,
) -> None:
    """Run the comparison, print its tables and, given `out`, write the report.

    `out` and `quick` are as in every experiment (`frame`). `epochs`, `beam`, `features` and `loss`
    are settings of training, by default the paper's; with a loss that is not "unlabelled" labels
    are learned, too. `restarts` are the ways to go on after an error that the improved training is
    tried with: "bad", which explores, and "good".
    """
    for restart in restarts:
        if restart not in RESTARTS:
            raise ValueError(f"restarts are good and bad, not {restart!r}")
    given = {"epochs": epochs, "beam": beam, "features": features, "loss": loss}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    settings = replace(PAPER_SETTINGS, **chosen)
    if settings.beam < 2:
        raise ValueError(f"a beam of at least 2 is compared with greedy search, not {beam}")
    over = frame(NAME, settings, data, treebanks, seeds, out, quick)
    prepare = unlabelled if settings.loss == "unlabelled" else coarse
    todo = [
        replace(job, measure_training=biases, prepare=prepare)
        for job in grid(over.treebanks, variants(over.settings, restarts), over.n_seeds)
    ]
    summary = Summary(run_grid(todo, over.runs, n_processes=jobs))
    report = build_report(summary, over.settings)
    over.publish(report, lambda page: write(page, report, summary, over.settings))


def write(page: Path, report: Report, summary: Summary, settings: Settings) -> list[Path]:
    """Write the report and, for machines, every figure as JSON; the paths written."""
    pairs = [(a, b) for a, b in COMPARISONS if {a, b} <= set(summary.variants)]
    by_pair = [figures(summary, *pair) for pair in pairs]
    found = {
        **by_pair[0],
        "differences": [test for by_one in by_pair for test in by_one["differences"]],
        "dev_uas": _curves(summary),
        "measured": {
            name: {variant: summary.measured(name, variant) for variant in summary.variants}
            for name in summary.treebanks
        },
    }
    about = {"experiment": NAME, "settings": asdict(settings)}
    paper = {
        "languages": list(CODES),
        "uas": TABLE_1,
        "gains": {f"{a} - {b}": in_paper(a, b) for a, b in pairs},
    }
    machine = page.with_suffix(".json")
    text = json.dumps({**about, "paper": paper, **found}, indent=1)
    machine.write_text(text + "\n", encoding="utf-8", newline="\n")
    return [*report.write(page), machine]


def _curves(summary: Summary) -> dict[str, dict[str, Any]]:
    """Dev UAS after each epoch, and what training had cost by then."""
    return {
        name: {
            variant: {
                "uas": summary.curve(name, variant, "uas"),
                "n_updates": summary.effort(name, variant, "n_updates"),
                "cpu_seconds": summary.effort(name, variant, "cpu_seconds"),
            }
            for variant in summary.variants
        }
        for name in summary.treebanks
    }
