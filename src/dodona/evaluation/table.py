"""Text tables of scores and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich import box
from rich.console import Console
from rich.table import Table

from dodona.evaluation.score_counts import Arcs, Attachment

NOTHING = "-"  # a percentage of no words at all


def arcs_table(title: str, rows: Mapping[str, Arcs]) -> Table:
    table = new_table(title, "gold", "system", "correct", "precision", "recall", "F1")
    for name, arcs in rows.items():
        correct = f"{arcs.n_correct:,}"
        if arcs.n_recovered != arcs.n_correct:
            correct = f"{arcs.n_recovered:,} / {correct}"
        table.add_row(
            name,
            f"{arcs.n_gold:,}",
            f"{arcs.n_system:,}",
            correct,
            percent(arcs.precision, arcs.n_system),
            percent(arcs.recall, arcs.n_gold),
            percent(arcs.f1, arcs.n_gold + arcs.n_system),
        )
    return table


def attachment_table(title: str, rows: Mapping[str, Attachment]) -> Table:
    table = new_table(title, "words", "UAS", "LAS")
    for name, part in rows.items():
        table.add_row(name, f"{part.n_words:,}", percent(part.uas), percent(part.las))
    return table


def new_table(first: str, *columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def percent(value: float, of: int = 1) -> str:
    return f"{value:.2f}" if of else NOTHING


def render(parts: Iterable[Table | str]) -> str:
    """Return tables and captions as text, styled if standard output is a terminal."""
    console = Console(highlight=False, markup=False, force_jupyter=False)
    with console.capture() as capture:
        for i, part in enumerate(parts):
            if i:
                console.print()
            console.print(part, soft_wrap=isinstance(part, str))
    # not splitlines: labels may contain other line ends
    lines = capture.get().removesuffix("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines) + "\n"
