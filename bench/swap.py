"""Compare swap with arc-eager: words/s, and transitions by sentence length.

python bench/swap.py [--data DIR --treebank NAME] [--epochs N] [--json FILE]

Both parsers are trained on the same sentences: a treebank's or, without --data, those of an
synthetic language with many crossing arcs. If parsing is linear in the length of the sentence,
transitions lie on a straight line, and transitions per word are constant.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Annotated, Any

import measure
import typer
from rich.console import Console
from rich.table import Table

import dodona
from dodona.synthetic.generator import synthetic_treebank

SYSTEMS = ("arc-eager", "swap")
BIN = 10  # words
SEED = 7


@dataclass(frozen=True)
class Figures:
    """Measurements of one system."""

    train_seconds: float
    words_per_second: float
    las: float
    transitions: dict[int, tuple[int, int]]  # by length: total words and transitions


def sentences(data: Path | None, treebank: str) -> tuple[list[Any], list[Any]]:
    """Return the sentences for training and for parsing."""
    if data is not None:
        parts = (data / treebank / f"{part}.conllu" for part in ("train", "test"))
        return tuple(list(dodona.read(path)) for path in parts)  # type: ignore[return-value]
    made = [
        dodona.Sentence.from_columns(
            s.forms, upos=s.upos, xpos=s.xpos, feats=s.feats, heads=s.heads, deprels=s.deprels
        )
        for s in synthetic_treebank(2000, SEED, nonprojective=0.3)
    ]
    return made[:1500], made[1500:]


def take(system: str, train: list[Any], test: list[Any], epochs: int, repeat: int) -> Figures:
    """Train a parser and time it on one core, from encoded words to trees."""
    begin = time.process_time()
    parser = dodona.train(train, system=system, epochs=epochs, tags="gold")
    train_seconds = time.process_time() - begin
    corpus = parser.encoder.encode(test)
    parser.search.parse(corpus)
    seconds = measure.median_seconds(lambda: parser.search.parse(corpus), repeat)
    by_length: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for i, sentence in enumerate(test):
        counts = by_length[len(sentence)]
        counts[0] += len(sentence)
        counts[1] += parser.search.parse(corpus, i, i + 1)
    las = dodona.evaluate(test, list(parser.pipe(test))).las
    return Figures(
        train_seconds,
        sum(map(len, test)) / seconds,
        las,
        {length: (n, t) for length, (n, t) in sorted(by_length.items())},
    )


def fit(figures: Figures) -> tuple[float, float]:
    """Fit transitions = slope · words + intercept, by least squares."""
    points = [
        (length, length * n_transitions / n_words)
        for length, (n_words, n_transitions) in figures.transitions.items()
        for _ in range(n_words // length)
    ]
    slope, intercept = linear_regression(*zip(*points, strict=True))
    return slope, intercept


def show(found: dict[str, Figures], console: Console) -> None:
    eager, swap = (found[system] for system in SYSTEMS)
    table = Table("", *SYSTEMS, "ratio", title="one core")
    for name, title in (("words_per_second", "words/s"), ("train_seconds", "training, s")):
        values = [getattr(figures, name) for figures in (eager, swap)]
        table.add_row(title, *(f"{v:,.1f}" for v in values), f"{values[1] / values[0]:.2f}")
    table.add_row("LAS", f"{eager.las:.2f}", f"{swap.las:.2f}", "")
    console.print(table)
    table = Table("words", *SYSTEMS, title="transitions per word by length of the sentence")
    bins = sorted({length // BIN for figures in found.values() for length in figures.transitions})
    for b in bins:
        shown = []
        for figures in (eager, swap):
            pairs = [pair for n, pair in figures.transitions.items() if n // BIN == b]
            shown.append(f"{sum(t for _, t in pairs) / sum(n for n, _ in pairs):.3f}")
        table.add_row(f"{b * BIN} to {b * BIN + BIN - 1}", *shown)
    console.print(table)
    for system, figures in found.items():
        slope, intercept = fit(figures)
        console.print(f"{system}: transitions = {slope:.3f} · words {intercept:+.2f}")


def main(
    data: Annotated[
        Path | None, typer.Option(envvar="DODONA_DATA", help="Folder of treebanks.")
    ] = None,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "nl_lassysmall",
    epochs: Annotated[int, typer.Option(help="Training epochs.")] = 5,
    repeat: Annotated[int, typer.Option(help="Timed runs; the median counts.")] = 5,
    out: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Train both parsers and compare."""
    measure.use_one_core()
    train, test = sentences(data, treebank)
    found = {system: take(system, train, test, epochs, repeat) for system in SYSTEMS}
    show(found, Console())
    if out:
        figures = {name: {**vars(f), "fit": fit(f)} for name, f in found.items()}
        report = {"machine": measure.machine(), "treebank": treebank if data else None, **figures}
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
