"""HTML view of a state for notebooks: stack and buffer as boxes, and the arcs so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

BOX = "border:1px solid currentColor;border-radius:3px;padding:0 .4em;margin:0 .1em"
HEAD = "text-align:left;opacity:.7;padding-right:1em"


def as_html(
    stack: Sequence[int], buffer: Sequence[int], arcs: Iterable[tuple[int, str, int]]
) -> str:
    """Return an HTML table; words are shown by position, 0 is the root.

    >>> "0 —root→ 1" in as_html(stack=(0, 1), buffer=(), arcs=[(0, "root", 1)])
    True
    """
    from html import escape  # imported here: it would add 2 ms to every start of the command

    arcs = sorted(arcs, key=lambda arc: (arc[2], arc[0]))
    shown = ", ".join(escape(f"{head} —{label}→ {dependent}") for head, label, dependent in arcs)
    rows = {"stack": _boxes(stack, "top"), "buffer": _boxes(buffer, "front")}
    rows["arcs"] = shown or "none yet"
    start, middle = f'<tr><th style="{HEAD}">', '</th><td style="text-align:left">'
    cells = "".join(f"{start}{name}{middle}{cell}</td></tr>" for name, cell in rows.items())
    return f"<table>{cells}</table>"


def _boxes(words: Sequence[int], end: str) -> str:
    """Return the words in boxes, the top or front with a thick border."""
    first = -1 if not words else 0 if end == "front" else len(words) - 1
    borders = (";border-width:2px" if i == first else "" for i in range(len(words)))
    boxes = zip(borders, words, strict=True)
    return " ".join(f'<span style="{BOX}{b}">{word}</span>' for b, word in boxes) or "empty"
