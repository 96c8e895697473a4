"""Compare the speed of parsing into enhanced graphs with that of parsing into trees.

python bench/graphs.py --data DIR --treebank en_ewt [--epochs N] [--json FILE]
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
from dodona.evaluation import evaluate_graphs

VARIANTS: dict[str, dict[str, Any]] = {
    "tree: arc-eager": {},
    "graph: graph-eager": {"graph": "enhanced"},
    "graph: graph-standard": {"system": "graph-standard", "training": "static"},
    "tree and graph": {"graph": "basic+enhanced"},
}
BASE = next(iter(VARIANTS))


def searches(parser: dodona.Parser) -> list[dodona.Parser]:
    """Return the parser and, if it has one, its graph parser."""
    return [parser, *([parser.graphs] if parser.graphs else [])]


def seconds(parsers: dict[str, dodona.Parser], test: list[dodona.Sentence], repeat: int) -> Any:
    """Return median times of the search and from sentences to sentences; the parsers alternate."""
    search: dict[str, list[float]] = {name: [] for name in parsers}
    whole: dict[str, list[float]] = {name: [] for name in parsers}
    corpora = {
        name: [(part.search, part.encoder.encode(test)) for part in searches(parser)]
        for name, parser in parsers.items()
    }
    for _ in range(repeat + 1):
        for name, parser in parsers.items():
            begin = time.perf_counter()
            for part, corpus in corpora[name]:
                part.parse(corpus)
            search[name].append(time.perf_counter() - begin)
            begin = time.perf_counter()
            for _ in parser.pipe(test):
                pass
            whole[name].append(time.perf_counter() - begin)
    return {name: (median(search[name][1:]), median(whole[name][1:])) for name in parsers}


def figures(
    parsers: dict[str, dodona.Parser], test: list[dodona.Sentence], repeat: int
) -> dict[str, dict[str, float | None]]:
    """Return the cells of the table, by parser."""
    n_words = sum(map(len, test))
    taken = seconds(parsers, test, repeat)
    found: dict[str, dict[str, float | None]] = {}
    for name, parser in parsers.items():
        parsed = list(parser.pipe(test))
        has_graph = parser.graphs is not None or parser.system.builds_graphs
        found[name] = {
            "search_words_per_second": n_words / taken[name][0],
            "words_per_second": n_words / taken[name][1],
            "ratio": taken[BASE][1] / taken[name][1],
            "las": None if parser.system.builds_graphs else dodona.evaluate(test, parsed).las,
            "elas": evaluate_graphs(test, parsed).elas if has_graph else None,
        }
    return found


def show(found: dict[str, dict[str, float | None]]) -> None:
    table = Table(title="Words/s on one core: in the search, and from sentences to sentences")
    table.add_column("parser")
    for title in ("search", "whole", "of a tree", "LAS", "ELAS"):
        table.add_column(title, justify="right")
    formats = ("{:,.0f}", "{:,.0f}", "{:.2f}", "{:.2f}", "{:.2f}")
    for name, figure in found.items():
        values = zip(formats, figure.values(), strict=True)
        table.add_row(
            name, *("" if value is None else form.format(value) for form, value in values)
        )
    Console().print(table)


def main(
    data: measure.Data,
    treebank: Annotated[
        str, typer.Option(help="The treebank; it needs the DEPS column.")
    ] = "en_ewt",
    epochs: Annotated[int, typer.Option(help="Training epochs.")] = 5,
    repeat: Annotated[int, typer.Option(help="Runs; the median counts.")] = 5,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Train parsers into trees and into graphs, and compare them on the test set."""
    measure.use_one_core()
    folder = data / treebank
    parsers = {
        name: dodona.train(folder / "train.conllu", epochs=epochs, **{"tags": "gold"} | settings)
        for name, settings in VARIANTS.items()
    }
    found = figures(parsers, list(dodona.read(folder / "test.conllu")), repeat)
    show(found)
    if json_file:
        about = {"machine": measure.machine(), "treebank": treebank, "epochs": epochs}
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps({**about, "parsers": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
