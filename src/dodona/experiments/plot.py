"""Line plots as SVG: small panels side by side, one line per variant.

Nothing is needed but a browser. Colours follow its light or dark scheme, lines differ in their
dashes too, and each point tells its value to the pointer and to screen readers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 300, 190  # of a panel, axes and title included
LEFT, RIGHT, TOP, BOTTOM = 42, 12, 28, 34  # from the panel's edge to the lines
LEGEND = 34
N_COLUMNS = 3
DASHES = ("none", "6 3", "2 3", "8 3 2 3")
# Okabe & Ito (2008): told apart by colour-blind readers; the dark scheme has lighter twins
STYLE = """
.plot { --paper: #fff; --ink: #24292f; --grid: #d8dee4;
        --line0: #d55e00; --line1: #0072b2; --line2: #009e73; --line3: #cc79a7; }
@media (prefers-color-scheme: dark) {
  .plot { --paper: #16181d; --ink: #d5dae1; --grid: #343a43;
          --line0: #ff9e64; --line1: #6cb6ff; --line2: #4fd6a5; --line3: #f0a8d0; } }
.plot text { fill: var(--ink); font: 11px system-ui, sans-serif; }
.plot .title { font-weight: 600; font-size: 12px; }
.plot .grid { stroke: var(--grid); }
.plot .paper { fill: var(--paper); }
.plot .curve { fill: none; stroke-width: 1.8; }
"""


@dataclass(frozen=True)
class Panel:
    """One plot: for each line the values at 1, 2, 3, …"""

    title: str
    lines: Mapping[str, Sequence[float]]


def line_plots(panels: Sequence[Panel], *, title: str, x_label: str) -> str:
    """An SVG image of all panels; lines of the same name look the same.

    >>> svg = line_plots([Panel("en", {"static": [80, 82]})], title="LAS", x_label="epoch")
    >>> "<title>static, epoch 2: 82.00</title>" in svg
    True
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    n_columns = max(1, min(N_COLUMNS, len(panels)))
    width = n_columns * WIDTH
    height = LEGEND + math.ceil(len(panels) / n_columns) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        *_legend(names),
    ]
    for i, panel in enumerate(panels):
        x, y = i % n_columns * WIDTH, LEGEND + i // n_columns * HEIGHT
        parts += [f'<g transform="translate({x} {y})">', *_panel(panel, names, x_label), "</g>"]
    return "\n".join([*parts, "</svg>\n"])


def ticks(low: float, high: float, n_most: int) -> list[float]:
    """Round numbers at even steps that enclose the range, at most `n_most` of them.

    >>> ticks(71.3, 83.9, 5)
    [70.0, 75.0, 80.0, 85.0]
    """
    exponent = math.floor(math.log10(max(high - low, 1e-6)))
    for power in (exponent - 1, exponent, exponent + 1):
        for digit in (1, 2, 5):
            step = digit * 10.0**power
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if last - first < n_most:
                return [round(k * step, 9) for k in range(first, max(last, first + 1) + 1)]
    raise AssertionError("a step of ten times the range leaves two ticks")


def _legend(names: Sequence[str]) -> list[str]:
    parts, x = [], LEFT
    for i, name in enumerate(names):
        parts.append(f'<path class="curve" {_stroke(i)} d="M{x} 18h28"/>')
        parts.append(f'<text x="{x + 34}" y="22">{escape(name)}</text>')
        x += 60 + 7 * len(name)
    return parts


@dataclass(frozen=True)
class Scale:
    """Where a value stands in a panel of `n` steps."""

    n: int
    levels: list[float]  # the values that the grid shows

    def x(self, step: float) -> float:
        return LEFT + (step - 1) / max(self.n - 1, 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.levels[0]) / (self.levels[-1] - self.levels[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _panel(panel: Panel, names: Sequence[str], x_label: str) -> list[str]:
    values = [value for line in panel.lines.values() for value in line]
    n = max(map(len, panel.lines.values()))
    scale = Scale(n, ticks(min(values), max(values), 5))
    parts = [_text(LEFT, TOP - 12, panel.title, 'class="title"'), *_axes(scale, x_label)]
    for name, line in panel.lines.items():
        parts += _curve(name, line, scale, names.index(name), x_label)
    return parts


def _axes(scale: Scale, x_label: str) -> list[str]:
    parts = []
    for level in scale.levels:
        y = scale.y(level)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{level:g}", 'text-anchor="end"'))
    steps = [1, *(int(t) for t in ticks(1, scale.n, 5) if t == int(t) and 1 < t <= scale.n)]
    for step in steps:
        parts.append(_text(scale.x(step), HEIGHT - BOTTOM + 15, str(step), 'text-anchor="middle"'))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - BOTTOM + 29, x_label, 'text-anchor="middle"'))
    return parts


def _curve(name: str, line: Sequence[float], scale: Scale, i: int, x_label: str) -> list[str]:
    points = [(scale.x(step), scale.y(value)) for step, value in enumerate(line, start=1)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    parts = [f'<path class="curve" {_stroke(i)} d="M{path}"/>']
    for step, ((x, y), value) in enumerate(zip(points, line, strict=True), start=1):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" style="fill: var(--line{i % 4})">'
            f"<title>{escape(f'{name}, {x_label} {step}: {value:.2f}')}</title></circle>"
        )
    return parts


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(text)}</text>'


def _stroke(i: int) -> str:
    return f'style="stroke: var(--line{i % 4}); stroke-dasharray: {DASHES[i % 4]}"'
