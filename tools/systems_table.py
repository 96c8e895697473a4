"""Print the table of transition systems that the manual shows.

    python -m tools.systems_table           print the table
    python -m tools.systems_table --write   update every page in docs/ between its markers

The table stands between `<!-- systems -->` and `<!-- end of systems -->`. Each system describes
itself by class attributes (`core/transitions/system.pyx`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from dodona.core.transitions.registry import find_system, systems
from dodona.core.transitions.system import System

DOCS = Path(__file__).parent.parent / "docs"
JOINED_WORDS = {"front": "s0, b0", "stack": "s1, s0", "hybrid": "s0, b0 and s1, s0"}
START, END = "<!-- systems -->\n", "<!-- end of systems -->"


def systems_table() -> list[str]:
    """Return the lines of a Markdown table with one row for each registered system."""
    rows = [
        "| name | builds | arcs join | artificial root | costs |",
        "|---|---|---|---|---|",
    ]
    return rows + [_row(find_system(name)) for name in systems()]


def _row(kind: type[System]) -> str:
    *others, last = kind.roots
    roots = f"{', '.join(others)} or {last}" if others else last
    cells = f"`{kind.name}`", kind.builds, JOINED_WORDS[kind.joins], roots, kind.exactness
    return f"| {' | '.join(cells)} |"


def with_table(page: str) -> str:
    """Return a page with the table between its markers, unchanged if it has none."""
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not end:
        return page
    return before + start + "\n" + "\n".join(systems_table()) + "\n\n" + end + after


def main() -> None:
    if "--write" not in sys.argv:
        print(*systems_table(), sep="\n")
        return
    for path in DOCS.rglob("*.md"):
        page = path.read_text(encoding="utf-8")
        path.write_text(with_table(page), encoding="utf-8")


if __name__ == "__main__":
    main()
