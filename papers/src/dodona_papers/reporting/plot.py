"""Line plots as SVG: small panels side by side, one line per variant.

Nothing is needed but a browser. Colours follow its light or dark scheme, lines differ in their
dashes too, and each point tells its value to the pointer and to screen readers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    """One plot: for each line the values at 1, 2, 3, …, or at the places that `at` has for it."""

    title: str
    lines: Mapping[str, Sequence[float]]
    at: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def places(self, name: str) -> Sequence[float]:
        """Where the values of a line stand."""
        return self.at.get(name) or range(1, len(self.lines[name]) + 1)


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
    """Where a value stands in a panel that goes from `first` to `last`."""

    first: float
    last: float
    levels: list[float]  # the values that the grid shows

    def x(self, place: float) -> float:
        share = (place - self.first) / ((self.last - self.first) or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.levels[0]) / (self.levels[-1] - self.levels[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _panel(panel: Panel, names: Sequence[str], x_label: str) -> list[str]:
    values = [value for line in panel.lines.values() for value in line]
    last = max(place for name in panel.lines for place in panel.places(name))
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
    round_places = ticks(scale.first, scale.last, 5)
    if scale.first == 1:  # counted, not measured
        round_places = [place for place in round_places if place == int(place)]
    for place in [scale.first, *(p for p in round_places if scale.first < p <= scale.last)]:
        parts.append(
            _text(scale.x(place), HEIGHT - BOTTOM + 15, _number(place), 'text-anchor="middle"')
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - BOTTOM + 29, x_label, 'text-anchor="middle"'))
    return parts


def _curve(panel: Panel, name: str, scale: Scale, i: int, x_label: str) -> list[str]:
    line, places = panel.lines[name], panel.places(name)
    points = [(scale.x(at), scale.y(value)) for at, value in zip(places, line, strict=True)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    parts = [f'<path class="curve" {_stroke(i)} d="M{path}"/>']
    for at, (x, y), value in zip(places, points, line, strict=True):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" style="fill: var(--line{i % 4})">'
            f"<title>{escape(f'{name}, {x_label} {_number(at)}: {value:.2f}')}</title></circle>"
        )
    return parts


def _number(place: float) -> str:
    return f"{place:.0f}" if place == int(place) else f"{place:.2f}"


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(text)}</text>'


def _stroke(i: int) -> str:
    return f'style="stroke: var(--line{i % 4}); stroke-dasharray: {DASHES[i % 4]}"'
