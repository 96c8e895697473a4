"""Error analysis as an HTML page: scores, confusions, and gold and system trees in one drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from dodona.drawing.html import CLOSING, figure, opening
from dodona.drawing.svg import Arc, draw, safe
from dodona.evaluation.pairs import Parsed

WIDTH = 1100.0  # pixels of a drawing
MOST_ROWS = 25
STYLE = """\
<style>
table{border-collapse:collapse;margin:0 2rem 1.5rem 0;display:inline-table;vertical-align:top}
th,td{padding:.15rem .6rem;text-align:right}
th:first-child,td:first-child{text-align:left}
thead th{border-bottom:1px solid}
caption{text-align:left;font-weight:bold;padding:.3rem 0}
svg.dodona .missing{--arc:#15803d}
svg.dodona .wrong{--arc:#b91c1c}
svg.dodona .arc.missing,svg.dodona .arc.wrong{color:var(--arc)}
svg.dodona .arc.missing .line{stroke-dasharray:5 3}
.missing-key{color:#15803d}.wrong-key{color:#b91c1c}
</style>
"""
KEY = (
    '<p>Arcs that both trees have are blue, <span class="missing-key">those of gold alone green '
    'and dashed</span>, <span class="wrong-key">those of the system alone red</span>.</p>\n'
)


HtmlTable = tuple[str, Sequence[str], Iterable[Sequence[str]]]  # title, columns, rows


def make_report(title: str, tables: Iterable[HtmlTable], figures: Iterable[tuple[str, str]]) -> str:
    """Return the whole page: tables, then drawings with their captions.

    >>> page = make_report("No errors", [("Scores", ("", "LAS"), [("all", "100")])], [])
    >>> page.startswith("<!DOCTYPE html>"), "<td>100</td>" in page
    (True, True)
    """
    parts = [opening(title), STYLE, f"<h1>{safe(title)}</h1>\n"]
    parts += [_render(*table) for table in tables]
    parts.append(f"<h2>The worst sentences</h2>\n{KEY}")
    parts += [figure(*each) for each in figures]
    return "".join([*parts, CLOSING])


def _render(title: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the HTML of a table, with at most MOST_ROWS rows."""
    head = "".join(f"<th>{safe(name)}</th>" for name in names)
    cells = ("".join(f"<td>{safe(cell)}</td>" for cell in row) for row in islice(rows, MOST_ROWS))
    body = "".join(f"<tr>{row}</tr>\n" for row in cells)
    return (
        f"<table><caption>{safe(title)}</caption><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{body}</tbody></table>\n"
    )


def draw_both(gold: Parsed, system: Parsed) -> str:
    """Draw both trees in one figure; shared arcs appear once."""
    ours, theirs = _arcs(gold), _arcs(system)
    kinds = (("", ours & theirs), ("missing", ours - theirs), ("wrong", theirs - ours))
    arcs = [
        Arc(head, label, word, kind) for kind, some in kinds for word, head, label in sorted(some)
    ]
    return draw(gold.forms, arcs, tags=gold.upos, width=WIDTH, standalone=False)


def _arcs(sentence: Parsed) -> set[tuple[int, int, str]]:
    """Return the dependent, head and label of each arc."""
    arcs = enumerate(zip(sentence.heads, sentence.deprels, strict=True), start=1)
    return {(word, h, label) for word, (h, label) in arcs if h is not None and h != word}
