"""Measured figures: the data file docs/figures.toml, its tables and its plot.

Every figure that a page states is an entry of the data file, which names its command, commit,
machine, date and data. Pages hold the tables between `<!-- figures:NAME -->` and `<!-- end -->`,
where `python -m tools.pages --write` puts them; `bench/results.py` measures entries anew.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
DATA = ROOT / "docs" / "figures.toml"
PLOT = ROOT / "docs" / "images" / "speed.svg"
PROVENANCE = ("data", "machine", "commit", "date", "command")
_REFERENCE = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?!\w)")  # not in hashes of commits


@cache
def load(path: Path = DATA) -> dict[str, dict[str, Any]]:
    """Return the entries of the data file by name."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def results(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the entries that hold measurements, without the views composed of them."""
    return {name: entry for name, entry in data.items() if "view" not in entry}


def value(data: Mapping[str, Any], path: str) -> Any:
    """Return the cell `ENTRY/ROW/COLUMN` of an entry.

    >>> value({"speed": {"columns": ["", "words/s"], "rows": [["en", 30]]}}, "speed/en/words/s")
    30
    """
    name, row, column = path.split("/", 2)
    entry = data[name]
    at = entry["columns"].index(column)
    return next(cells[at] for cells in entry["rows"] if str(cells[0]).strip("`") == row)


def shown(data: Mapping[str, Any], cell: Any, form: str = ".2f") -> str:
    """Return a cell as text: numbers with separators, references `{ENTRY/ROW/COLUMN}` resolved."""
    if isinstance(cell, str):
        return _REFERENCE.sub(
            lambda match: _formatted(value(data, match[1]), match[2] or form), cell
        )
    return _formatted(cell, form)


def _formatted(found: Any, form: str) -> str:
    if isinstance(found, str):
        return found
    return format(found, ",d" if isinstance(found, int) else form)


def _digits(cells: Sequence[Any]) -> str:
    """Return the format of a column: as many decimals as its numbers need."""
    written = [str(cell) for cell in cells if isinstance(cell, float)]
    return f".{max((len(text.partition('.')[2]) for text in written), default=2)}f"


def table(name: str, data: Mapping[str, Any] | None = None) -> str:
    """Return an entry as a Markdown table, followed by the provenance of its figures."""
    data = load() if data is None else data
    entry = data[name]
    digits = [_digits(cells) for cells in zip(*entry["rows"], strict=True)]
    rows = [
        [shown(data, cell, form) for cell, form in zip(row, digits, strict=True)]
        for row in entry["rows"]
    ]
    is_text = [any(re.search("[a-z]{3}", row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = ["---" if i == 0 or is_text[i] else "---:" for i in range(len(rows[0]))]
    lines = [entry["columns"], rule, *rows]
    parts = ["\n".join("| " + " | ".join(line) + " |" for line in lines)]
    if "data" in entry:
        parts.append(source(entry))
    return "\n\n".join(parts)


def source(entry: Mapping[str, Any]) -> str:
    """Return a line that says where the figures of an entry come from."""
    is_ours = entry["commit"] != "none"
    parts = [f"data: {entry['data']}", f"machine: {entry['machine']}"]
    parts.append(f"commit: {entry['commit']}, {entry['date']}" if is_ours else entry["date"])
    if entry.get("command"):
        parts.append(f"command: `{entry['command']}`")
    return f"*Source: {'; '.join(parts)}.*"


def numbers(entries: Mapping[str, Mapping[str, Any]]) -> set[float]:
    """Return every number that the entries state, in rows and in notes."""
    return {number for entry in entries.values() for number in _numbers_of(entry)}


def _numbers_of(found: Any) -> Iterator[float]:
    if isinstance(found, (int, float)):
        yield float(found)
    elif isinstance(found, str):
        yield from (as_number(match[0]) for match in _NUMBER.finditer(found))
    elif isinstance(found, Mapping):
        for name, inner in found.items():
            if name not in ("commit", "date", "command", "columns"):
                yield from _numbers_of(inner)
    else:
        for inner in found:
            yield from _numbers_of(inner)


def as_number(text: str) -> float:
    """Return the number that a text with separators states.

    >>> as_number("104,000")
    104000.0
    """
    return float(text.replace(",", ""))


def is_stated(text: str, known: set[float]) -> bool:
    """Say whether a number is one of the known ones, or one of them rounded.

    A rounded integer must have two significant digits or more.

    >>> is_stated("82.6", {82.59}), is_stated("104,000", {104400.0}), is_stated("82.5", {82.59})
    (True, True, False)
    >>> is_stated("10,000", {9400.0})
    False
    """
    stated = as_number(text)
    _, point, decimals = text.partition(".")
    digits = text.replace(",", "").lstrip("+-")
    significant = digits.rstrip("0")
    places = len(decimals) if point else len(significant) - len(digits)
    if not point and len(significant) < 2:
        return stated in known
    return any(stated == number or stated == round(number, places) for number in known)


def replace_entry(text: str, name: str, fields: Mapping[str, Any]) -> str:
    """Return the text of the data file with some fields of an entry replaced."""
    pattern = re.compile(rf"^\[{re.escape(name)}\]\n.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
    entry = {**tomllib.loads(text)[name], **fields}
    lines = [f"[{name}]"]
    for key, found in entry.items():
        if key == "rows":
            lines += ["rows = [", *(f"  {_toml(row)}," for row in found), "]"]
        else:
            lines.append(f"{key} = {_toml(found)}")
    return pattern.sub(lambda _: "\n".join(lines) + "\n\n", text, count=1)


def _toml(found: Any) -> str:
    if isinstance(found, bool):
        return str(found).lower()
    if isinstance(found, (int, float)):
        return f"{found:_}" if isinstance(found, int) else f"{found}"
    if isinstance(found, str):
        return "'" + found + "'" if '"' in found or "\\" in found else f'"{found}"'
    return "[" + ", ".join(map(_toml, found)) + "]"


# The plot of accuracy against speed

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 52, 24, 52, 44  # from the edge to the axes
SLOWEST, FASTEST = 500, 400_000  # words/s
LOWEST, HIGHEST = 80, 90  # LAS
RADIUS = 6
# what a system is given besides words
KINDS = {
    "no tags": "words only",
    "gold tags": "words and gold tags",
    "published": "published, from raw text, on another machine",
}
# colours of Okabe & Ito (2008), which colour-blind readers distinguish
STYLE = """
.plot { --paper: #fff; --ink: #24292f; --grid: #d8dee4; --ours: #d55e00; --others: #0072b2; }
@media (prefers-color-scheme: dark) {
  .plot { --paper: #16181d; --ink: #d5dae1; --grid: #343a43; --ours: #ff9e64; --others: #6cb6ff; } }
.plot text { fill: var(--ink); font: 11px system-ui, sans-serif; }
.plot .title { font-weight: 600; font-size: 12px; }
.plot .grid { stroke: var(--grid); }
.plot .paper { fill: var(--paper); }
"""


def _x(speed: float) -> float:
    share = math.log(speed / SLOWEST) / math.log(FASTEST / SLOWEST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(las: float) -> float:
    share = (las - LOWEST) / (HIGHEST - LOWEST)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _axes() -> list[str]:
    parts = []
    for las in range(LOWEST, HIGHEST + 1, 2):
        parts.append(f'<path class="grid" d="M{LEFT} {_y(las):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{_y(las) + 4:.1f}" text-anchor="end">{las}</text>')
    for speed in (1000, 3000, 10_000, 30_000, 100_000, 300_000):
        parts.append(f'<path class="grid" d="M{_x(speed):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        position = f'x="{_x(speed):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle"'
        parts.append(f"<text {position}>{speed:,}</text>")
    middle = (LEFT + WIDTH - RIGHT) / 2
    position = f'x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle"'
    return [*parts, f"<text {position}>words a second of one core</text>"]


def _mark(kind: str, colour: str, across: float, down: float) -> str:
    style = {
        "no tags": f'fill="{colour}"',
        "gold tags": f'fill="var(--paper)" stroke="{colour}" stroke-width="2"',
        "published": f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="3 2"',
    }
    return f'<circle cx="{across:.1f}" cy="{down:.1f}" r="{RADIUS}" {style[kind]}/>'


def _legend() -> list[str]:
    parts, across = [], LEFT + RADIUS
    for kind, meaning in KINDS.items():
        parts.append(_mark(kind, "var(--ink)", across, TOP - 18))
        parts.append(f'<text x="{across + 12}" y="{TOP - 14}">{meaning}</text>')
        across += 40 + 7 * len(meaning)
    return parts


def _point(name: str, given: str, las: float, speed: float, *, is_left: bool) -> list[str]:
    is_ours = name.startswith("Dodona")
    across, down = _x(speed), _y(las)
    anchor, shift = ("end", -RADIUS - 5) if is_left else ("start", RADIUS + 5)
    position = f'x="{across + shift:.1f}" y="{down + 4:.1f}" text-anchor="{anchor}"'
    return [
        f"<g><title>{escape(f'{name}: LAS {las:.2f}, {speed:,.0f} words/s')}</title>",
        _mark(given, "var(--ours)" if is_ours else "var(--others)", across, down),
        f"<text {position}>{escape(name)}</text></g>",
    ]


def plot(data: Mapping[str, Any] | None = None) -> str:
    """Return the SVG image of the entry `accuracy-and-speed`."""
    data = load() if data is None else data
    entry = data["accuracy-and-speed"]
    title = escape("UD English EWT, test set: LAS against words a second")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" aria-label="{title}">',
        f"<title>{title}</title><style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="{LEFT}" y="20">{title}</text>',
        *_legend(),
        *_axes(),
    ]
    for row in entry["rows"]:
        name, given, las, speed = (shown(data, cell) for cell in row[:4])
        is_left = name in entry["left"]
        parts += _point(name, given, float(las), as_number(speed), is_left=is_left)
    return "\n".join([*parts, "</svg>\n"])


def check_provenance(data: Mapping[str, Mapping[str, Any]]) -> Sequence[str]:
    """Return what the measured entries lack: `ENTRY: FIELD` for each."""
    return [
        f"{name}: {field}"
        for name, entry in results(data).items()
        for field in (*PROVENANCE[:4], "columns", "rows")
        if not entry.get(field)
    ]
