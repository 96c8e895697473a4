"""Don't Stop Me Now! Using Global Dynamic Oracles … (Aufrant, Wisniewski & Yvon 2017), section 4.

An arc-eager parser with a beam is trained by early update and by max-violation: each in the
standard way (one reference derivation, and after an error the rest of the sentence is left), and
improved, with a global dynamic oracle and decoding on from where the error was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dodona.settings import Settings
from dodona.treebank.sentence import Sentence
from dodona_papers.experiments.aufrant_2017.biases import biases
from dodona_papers.experiments.aufrant_2017.report import (
    CODES,
    COMPARISONS,
    TABLE_1,
    build_report,
    in_paper,
)
from dodona_papers.paper import Option, Paper
from dodona_papers.reporting.exhibits import numbers
from dodona_papers.reporting.study import Study
from dodona_papers.reporting.summary import Summary
from dodona_papers.running.runs import Result, list_jobs

# Section 4. The paper stops training by a validation set, and does not drop features.
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
# The paper's Algorithm 3 restarts from the good derivation, which "can even be further improved" by
# restarting from the bad one. It does not say which of the two its tables report.
RESTARTS = ("bad", "good")


def variants(settings: Settings, restarts: Sequence[str] = RESTARTS) -> dict[str, Settings]:
    """Return the paper's variants; "imp-early-good" is "imp-early" with the other restart.

    >>> list(variants(PAPER_SETTINGS, ["bad"]))
    ['greedy-static', 'greedy', 'early', 'imp-early', 'maxv', 'imp-maxv']
    """
    greedy = settings.replace(beam=1)
    found = {"greedy-static": greedy.replace(training="static"), "greedy": greedy}
    for name, update in (("early", "early"), ("maxv", "max-violation")):
        chosen = settings.replace(update=update)
        found[name] = chosen.replace(oracle="static", restart="none")
        for restart in restarts:
            improved = f"imp-{name}" if restart == "bad" else f"imp-{name}-{restart}"
            found[improved] = chosen.replace(oracle="dynamic", restart=restart)
    return found


def drop_fine_tags(sentence: Sentence) -> Sentence:
    """Return the sentence without XPOS tags."""
    return sentence.replace(xpos=["_"] * len(sentence))


def drop_labels_too(sentence: Sentence) -> Sentence:
    """Return the sentence without XPOS tags and with one label for all arcs."""
    return drop_fine_tags(sentence).replace(deprels=["dep"] * len(sentence))


def compare(study: Study, restarts: Sequence[str]) -> None:
    """Train all variants, the improved ones with these restarts.

    Labels are removed if the loss is "unlabelled", as in the paper.
    """
    settings = study.settings
    if settings.search.beam < 2:
        raise ValueError(
            f"a beam of at least 2 is compared with greedy search, not {settings.search.beam}"
        )
    prepare = drop_labels_too if settings.loss == "unlabelled" else drop_fine_tags
    jobs = [
        replace(job, measure_training=biases, prepare=prepare)
        for job in list_jobs(study.treebanks, variants(settings, restarts), study.seeds)
    ]
    summary = Summary(study.run(jobs, Result.from_record))
    study.publish(build_report(summary, settings), _numbers(summary, settings))


PAPER = Paper(
    "aufrant-2017",
    PAPER_SETTINGS,
    compare,
    free=("epochs", "beam", "features", "loss"),
    own={"restarts": Option("where improved training goes on after an error", RESTARTS)},
)


def _numbers(summary: Summary, settings: Settings) -> dict[str, Any]:
    pairs = [(a, b) for a, b in COMPARISONS if {a, b} <= set(summary.variants)]
    by_pair = [numbers(summary, *pair) for pair in pairs]
    found = {
        **by_pair[0],
        "differences": [test for by_one in by_pair for test in by_one["differences"]],
        "dev_uas": _curves(summary),
        "measured": {
            name: {variant: summary.measures(name, variant) for variant in summary.variants}
            for name in summary.treebanks
        },
    }
    paper = {
        "languages": list(CODES),
        "uas": TABLE_1,
        "gains": {f"{a} - {b}": in_paper(a, b) for a, b in pairs},
    }
    return {"settings": settings.flat(), "paper": paper, **found}


def _curves(summary: Summary) -> dict[str, dict[str, Any]]:
    """Return the dev UAS after each epoch, with the cumulative effort of training."""
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
