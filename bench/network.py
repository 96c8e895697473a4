"""Measure the speed of a network with random weights: encoding words and scoring states.

python bench/network.py [--variant NAME] [--words N] [--json FILE]

Everything but spelling: words are given as rows of tables. One word in ten is of a type that was
not met before, whose vector is then computed.
"""

from __future__ import annotations

import json
import sys
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

import measure
import typer
from rich.console import Console
from rich.table import Table

from dodona.core.network.network import Network, NetworkSpace, variants

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from support.networks import Shape, as_lists, random_arrays, spellings

N_ROWS = 3000  # rows of each table
FIELDS = (64, *[32] * 9)
TAGS = (17, 50, 430)
SHAPES = {
    "128 x 2, hidden 128": Shape(128, 2, 128, 8, 100, FIELDS, TAGS, (0, 1), (50,) * 6, N_ROWS),
    "192 x 3, hidden 128": Shape(192, 3, 128, 8, 100, FIELDS, TAGS, (0, 1), (50,) * 6, N_ROWS),
    "192 x 3, hidden 256": Shape(192, 3, 256, 8, 100, FIELDS, TAGS, (0, 1), (50,) * 6, N_ROWS),
}
NEW_TYPES = 10  # one new word type in so many words
BATCH = 1000  # words encoded at once
SEED = 7


@dataclass(frozen=True)
class Figures:
    """Measurements of one network."""

    words_per_second: float
    shares: dict[str, float]  # of the total time


def cpu_seconds(function: Callable[[], None]) -> float:
    begin = time.process_time()
    function()
    return time.process_time() - begin


def take(shape: Shape, int8: bool, variant: str | None, n_words: int, repeat: int) -> Figures:
    """Time a network on sentences of average length."""
    random = Random(SEED)
    network = Network(shape.about(), random_arrays(shape, random, int8=int8), variant)
    space = NetworkSpace(network)
    types = as_lists(spellings(shape, random, n_words // NEW_TYPES))
    n_types = len(types[1]) // len(shape.fields)
    batches = []
    for _ in range(n_words // BATCH):
        lengths = array("i")
        while (left := BATCH - sum(lengths)) > 0:
            lengths.append(min(left, random.randint(1, 40)))
        batches.append((array("i", random.choices(range(n_types), k=BATCH)), lengths))

    def run() -> None:
        space.clear_types()
        space.add_types(*types)
        for some_words, some_lengths in batches:
            network.read(space, some_words, some_lengths)

    run()
    seconds = min(cpu_seconds(run) for _ in range(repeat))
    space.seconds()
    run()
    parts = space.seconds()
    return Figures(n_words / seconds, {k: v / sum(parts.values()) for k, v in parts.items()})


def show(found: dict[tuple[str, str], Figures], console: Console) -> None:
    parts = next(iter(found.values())).shares
    table = Table("network", "weights", "words/s", *parts, title="one core")
    for (name, kind), figures in found.items():
        shares = (f"{100 * share:.0f} %" for share in figures.shares.values())
        table.add_row(name, kind, f"{figures.words_per_second:,.0f}", *shares)
    console.print(table)


def main(
    variant: Annotated[
        str | None, typer.Option(help=f"Kernels: {', '.join(variants())}.", show_default="last")
    ] = None,
    words: Annotated[int, typer.Option(help="Number of words.")] = 5000,
    repeat: Annotated[int, typer.Option(help="Timed runs; the fastest counts.")] = 15,
    out: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Time each network."""
    measure.use_one_core()
    found = {
        (name, kind): take(shape, kind == "int8", variant, words, repeat)
        for name, shape in SHAPES.items()
        for kind in ("int8", "float32")
    }
    show(found, Console(width=100))
    if out:
        report: dict[str, Any] = {
            "machine": measure.machine(),
            "variant": variant or variants()[-1],
        }
        report |= {f"{name}, {kind}": vars(figures) for (name, kind), figures in found.items()}
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
