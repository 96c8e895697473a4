"""Line plots as SVG: small panels side by side, one line per variant.

The SVG needs no script. Colours follow the browser's light or dark scheme, lines also differ in
their dashes, and each point has a title with its value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 300, 190  # of a panel, with axes and title
LEFT, RIGHT, TOP, BOTTOM = 42, 12, 28, 34  # from the panel's edge to the lines
LEGEND = 34
N_COLUMNS = 3
DASHES = ("none", "6 3", "2 3", "8 3 2 3")
# the palette of Okabe & Ito (2008) for colour-blind readers; lighter in the dark scheme
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
    """A plot: the values of each line at x = 1, 2, 3, …, or at the x coordinates in `at`."""

    title: str
    lines: Mapping[str, Sequence[float]]
    at: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def coordinates(self, name: str) -> Sequence[float]:
        """Return the x coordinates of a line."""
        return self.at.get(name) or range(1, len(self.lines[name]) + 1)


def line_plots(panels: Sequence[Panel], *, title: str, x_label: str) -> str:
    """Return an SVG image of all panels; lines of the same name have the same style.

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
    """Return at most `n_most` round numbers at even steps that enclose a range.

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
    """The mapping of values to coordinates in a panel with an x axis from `first` to `last`."""

    first: float
    last: float
    levels: list[float]  # of the grid lines

    def x(self, value: float) -> float:
        share = (value - self.first) / ((self.last - self.first) or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.levels[0]) / (self.levels[-1] - self.levels[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _panel(panel: Panel, names: Sequence[str], x_label: str) -> list[str]:
    values = [value for line in panel.lines.values() for value in line]
    last = max(value for name in panel.lines for value in panel.coordinates(name))
    scale = Scale(0 if panel.at else 1, last, ticks(min(values), max(values), 5))
    parts = [_text(LEFT, TOP - 12, panel.title, 'class="title"'), *_axes(scale, x_label)]
    for name in panel.lines:
        parts += _curve(panel, name, scale, names.index(name), x_label)
    return parts


def _axes(scale: Scale, x_label: str) -> list[str]:
    parts = []
    for level in scale.levels:
        y = scale.y(level)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{level:g}", 'text-anchor="end"'))
    round_values = ticks(scale.first, scale.last, 5)
    if scale.first == 1:  # epochs: whole numbers only
        round_values = [value for value in round_values if value == int(value)]
    for value in [scale.first, *(p for p in round_values if scale.first < p <= scale.last)]:
        parts.append(
            _text(scale.x(value), HEIGHT - BOTTOM + 15, _number(value), 'text-anchor="middle"')
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - BOTTOM + 29, x_label, 'text-anchor="middle"'))
    return parts


def _curve(panel: Panel, name: str, scale: Scale, i: int, x_label: str) -> list[str]:
    line, at_x = panel.lines[name], panel.coordinates(name)
    points = [(scale.x(at), scale.y(value)) for at, value in zip(at_x, line, strict=True)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    parts = [f'<path class="curve" {_stroke(i)} d="M{path}"/>']
    for at, (x, y), value in zip(at_x, points, line, strict=True):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" style="fill: var(--line{i % 4})">'
            f"<title>{escape(f'{name}, {x_label} {_number(at)}: {value:.2f}')}</title></circle>"
        )
    return parts


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(text)}</text>'


def _stroke(i: int) -> str:
    dashes = DASHES[(i + i // 4) % 4]  # a fifth line has the colour of the first, other dashes
    return f'style="stroke: var(--line{i % 4}); stroke-dasharray: {dashes}"'
