"""A state as a notebook shows it: stack and buffer as boxes, and the arcs so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

BOX = "border:1px solid currentColor;border-radius:3px;padding:0 .4em;margin:0 .1em"
HEAD = "text-align:left;opacity:.7;padding-right:1em"


def as_html(
    stack: Sequence[int], buffer: Sequence[int], arcs: Iterable[tuple[int, str, int]]
) -> str:
    """A small table; words are numbers, since a state knows no others, and 0 is the root.

    >>> "0 —root→ 1" in as_html(stack=(0, 1), buffer=(), arcs=[(0, "root", 1)])
    True
    """
    from html import escape  # here: its tables would cost every start of the command 2 ms

    arcs = sorted(arcs, key=lambda arc: (arc[2], arc[0]))
    shown = ", ".join(escape(f"{head} —{label}→ {dependent}") for head, label, dependent in arcs)
    rows = {
        "stack": _boxes(stack, "top"),
        "buffer": _boxes(buffer, "front"),
        "arcs": shown or "none yet",
    }
    cells = (
        f'<tr><th style="{HEAD}">{name}</th><td style="text-align:left">{cell}</td></tr>'
        for name, cell in rows.items()
    )
    return f"<table>{''.join(cells)}</table>"


def _boxes(words: Sequence[int], end: str) -> str:
    """Each word in a box; the one that transitions look at first is told by a thick border."""
    chief = -1 if not words else 0 if end == "front" else len(words) - 1
    return (
        " ".join(
            f'<span style="{BOX}{";border-width:2px" if i == chief else ""}">{word}</span>'
            for i, word in enumerate(words)
        )
        or "empty"
    )
