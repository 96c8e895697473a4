"""Tables on stdout."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from dodona.cli.streams import printable

if TYPE_CHECKING:
    from rich.table import Table

WIDEST = 1000  # columns of a table that is not printed to a terminal


def print_pairs(rows: Iterable[tuple[str, str]], title: str = "") -> None:
    """Print names and values, a pair per line, below a title."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    _print(table, title)


def print_columns(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str = "",
    words: Collection[str] = (),
) -> None:
    """Print a table with a header; the first column and `words` are text, the others numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold")
    for i, name in enumerate(names):
        is_text = not i or name in words
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    _print(table, title, is_whole=True)


def _print(table: Table, title: str, *, is_whole: bool = False) -> None:
    """Print a table without Rich's trailing blanks.

    Outside a terminal, the cells of a table that `is_whole` are not wrapped.
    """
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if is_whole and not console.is_terminal:
        console.width = WIDEST
    with console.capture() as capture:
        if title:
            console.print(f"\n{title}", style="bold")
        console.print(table)
    # not splitlines: names may contain other line breaks
    lines = capture.get().removesuffix("\n").split("\n")
    print("\n".join(line.rstrip() for line in lines))


def n_bytes(n: int) -> str:
    """Format a number of bytes.

    >>> n_bytes(532), n_bytes(7_030_787)
    ('532 bytes', '7.0 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n} bytes"
