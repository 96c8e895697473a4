"""Tables in a terminal."""

from __future__ import annotations

import pytest
from rich.console import Console

from dodona_papers.reporting.tables import Table


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_a_terminal_shows_every_cell_of_a_table_whatever_its_width(width: int) -> None:
    names = [f"treebank{i}" for i in range(7)]
    values = [f"{80 + i}.25±0.5{i}" for i in range(7)]
    table = Table("Scores", ["", *names], [["Labeled"], ["Static", *values]], "A note.")
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        table.print(console)
    shown = capture.get()
    assert [cell for cell in names + values if cell not in shown] == []
    assert max(map(len, shown.splitlines())) <= max(width, 20)
