"""A table once, shown in a terminal, in Markdown and in HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

GAP = 2  # blanks between two columns in a terminal; the last one is the box's


@dataclass(frozen=True)
class Table:
    """Cells as text, the first of each row its name; a row of one cell heads the rows below it.

    >>> table = Table("Scores", ["", "en", "eu"], [["Labelled"], ["Static", "83.7", "70.1"]])
    >>> print(table.to_markdown())
    **Scores**
    <BLANKLINE>
    |  | en | eu |
    | --- | ---: | ---: |
    | **Labelled** |  |  |
    | Static | 83.7 | 70.1 |
    <BLANKLINE>
    """

    title: str
    header: list[str]
    rows: list[list[str]]
    note: str = ""
    folded: bool = False  # hidden until asked for, but where a page cannot fold

    def to_markdown(self) -> str:
        """As GitHub's tables, with title and note."""
        lines = [] if self.folded else [f"**{self.title}**", ""]
        lines += [_markdown_row(self.header), _markdown_row(["---"] + ["---:"] * self._n_values)]
        for name, *values in self.rows:
            cells = [name, *values] if values else [f"**{name}**"] + [""] * self._n_values
            lines.append(_markdown_row(cells))
        lines += ["", *([self.note, ""] if self.note else [])]
        if self.folded:  # the attribute is for Python-Markdown; others do without
            head = f'<details markdown="1"><summary>{escape(self.title)}</summary>'
            lines = [head, "", *lines, "</details>", ""]
        return "\n".join(lines)

    def to_html(self) -> str:
        """As a table element that scrolls where it is too wide."""
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in self.header)
        body = "\n".join(map(self._html_row, self.rows))
        note = f'<p class="note">{escape(self.note)}</p>' if self.note else ""
        caption = "" if self.folded else f"<caption>{escape(self.title)}</caption>"
        # a box that scrolls must be reachable by keyboard
        table = (
            f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(self.title)}">\n'
            f"<table>{caption}\n"
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{note}\n"
        )
        if self.folded:
            return f"<details><summary>{escape(self.title)}</summary>\n{table}</details>\n"
        return table

    def print(self, console: Console) -> None:
        """In a terminal, in as many pieces as its width needs."""
        console.print(self.title, style="bold", soft_wrap=True)
        for columns in self._pieces(console.width):
            piece = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0))
            piece.add_column(self.header[0], no_wrap=True)
            for i in columns:
                piece.add_column(self.header[i], justify="right", no_wrap=True)
            for row in self.rows:
                cells = [row[i] for i in columns] if len(row) > 1 else []
                piece.add_row(row[0], *cells, style=None if cells else "bold")
            console.print(piece, highlight=False, markup=False)
            console.print()
        if self.note:
            console.print(self.note, style="dim", soft_wrap=True, highlight=False, markup=False)
            console.print()

    @property
    def _n_values(self) -> int:
        return len(self.header) - 1

    def _html_row(self, row: list[str]) -> str:
        name, *values = map(escape, row)
        if not values:
            return f'<tr><th scope="rowgroup" colspan="{len(self.header)}">{name}</th></tr>'
        cells = "".join(f"<td>{value}</td>" for value in values)
        return f'<tr><th scope="row">{name}</th>{cells}</tr>'

    def _pieces(self, width: int) -> Iterator[list[int]]:
        """The value columns, as many at a time as fit beside the first column."""
        full_rows = [self.header, *(row for row in self.rows if len(row) > 1)]
        first = max(len(row[0]) for row in [self.header, *self.rows]) + GAP
        piece: list[int] = []
        used = first
        for i in range(1, len(self.header)):
            needed = max(len(row[i]) for row in full_rows) + GAP
            if piece and used + needed > width:
                yield piece
                piece, used = [], first
            piece.append(i)
            used += needed
        yield piece


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
