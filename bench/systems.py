"""Compare every transition system with arc-eager: words/s, transitions per word, UAS and LAS.

python bench/systems.py --data DIR --treebank en_ewt [--systems NAMES] [--epochs N] [--json FILE]
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import measure
import typer
from rich.console import Console
from rich.table import Table

import dodona
from dodona.core.transitions.registry import SYSTEMS

BASE = "arc-eager"


def seconds(parsers: dict[str, dodona.Parser], test: list[dodona.Sentence], repeat: int) -> Any:
    """Return the median time of each parser on the same sentences; the parsers alternate."""
    corpora = {name: parser.encoder.encode(test) for name, parser in parsers.items()}
    times: dict[str, list[float]] = {name: [] for name in parsers}
    for _ in range(repeat + 1):
        for name, parser in parsers.items():
            begin = time.perf_counter()
            parser.search.parse(corpora[name])
            times[name].append(time.perf_counter() - begin)
    return {name: median(runs[1:]) for name, runs in times.items()}  # the first run warms up


def figures(
    parsers: dict[str, dodona.Parser], test: list[dodona.Sentence], repeat: int
) -> dict[str, dict[str, float]]:
    """Return the cells of the table, by system."""
    n_words = sum(map(len, test))
    taken = seconds(parsers, test, repeat)
    found = {}
    for name, parser in parsers.items():
        scores = dodona.evaluate(test, list(parser.pipe(test)))
        n_transitions = sum(len(parser.trace(sentence)) - 1 for sentence in test)
        found[name] = {
            "words_per_second": n_words / taken[name],
            "ratio": taken[BASE] / taken[name],
            "transitions_per_word": n_transitions / n_words,
            "uas": scores.uas,
            "las": scores.las,
        }
    return found


def show(found: dict[str, dict[str, float]]) -> None:
    table = Table(title="Words/s in the parser, from encoded words to trees, on one core")
    table.add_column("system")
    for title in ("words/s", f"of {BASE}", "transitions/word", "UAS", "LAS"):
        table.add_column(title, justify="right")
    for name, figure in found.items():
        table.add_row(
            name,
            f"{figure['words_per_second']:,.0f}",
            f"{figure['ratio']:.2f}",
            f"{figure['transitions_per_word']:.2f}",
            f"{figure['uas']:.2f}",
            f"{figure['las']:.2f}",
        )
    Console().print(table)


def main(
    data: measure.Data,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "en_ewt",
    systems: Annotated[str, typer.Option(help="Names, separated by commas.")] = "",
    epochs: Annotated[int, typer.Option(help="Training epochs.")] = 5,
    repeat: Annotated[int, typer.Option(help="Runs; the median counts.")] = 7,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Train a parser with the defaults of each system, and compare them on the test set."""
    measure.use_one_core()
    wanted = systems.split(",") if systems else list(SYSTEMS)
    names = [BASE, *(name for name in wanted if name != BASE)]
    folder = data / treebank
    parsers = {
        name: dodona.train(folder / "train.conllu", system=name, epochs=epochs, tags="gold")
        for name in names
    }
    found = figures(parsers, list(dodona.read(folder / "test.conllu")), repeat)
    show(found)
    if json_file:
        about = {"machine": measure.machine(), "treebank": treebank, "epochs": epochs}
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps({**about, "systems": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
