"""Small tables for people, on stdout."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

WIDEST = 1000  # columns of a table in a file


def print_pairs(rows: Iterable[tuple[str, str]], title: str = "") -> None:
    """Names and values, one pair a line, below a title."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    _print(table, title)


def print_columns(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str = "",
    words: Collection[str] = (),
) -> None:
    """A table with a head; all columns but the first, and those of words, hold numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold")
    for i, name in enumerate(names):
        is_text = not i or name in words
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    _print(table, title, is_whole=True)


def _print(table: Table, title: str, *, is_whole: bool = False) -> None:
    """Rich fills lines up with blanks, which nobody wants in a file.

    Nor are cells to be broken there, where they are `is_whole`.
    """
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if is_whole and not console.is_terminal:
        console.width = WIDEST
    with console.capture() as capture:
        if title:
            console.print(f"\n{title}", style="bold")
        console.print(table)
    lines = capture.get().removesuffix("\n").split("\n")  # not splitlines: names may hold others
    print("\n".join(line.rstrip() for line in lines))


def n_bytes(n: int) -> str:
    """A size for people.

    >>> n_bytes(532), n_bytes(7_030_787)
    ('532 bytes', '7.0 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n} bytes"
