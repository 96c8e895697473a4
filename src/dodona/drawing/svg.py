"""Dependency trees and graphs as SVG: words in a line, labelled arcs above them, tags beneath.

Colours come from the page (`currentColor`) and from the style sheet below. A drawing contains the
style sheet unless it was made with `standalone=False`, for a page that has it already.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from dodona.drawing.layout import ArcSegment, DrawingLayout, arrange
from dodona.drawing.measurements import COMPACT, NORMAL, Arc, Dimensions, is_right_to_left
from dodona.drawing.measurements import width as text_width

__all__ = ["STYLE", "Arc", "draw", "stack_pictures"]

ARROW_WIDTH, ARROW_HEIGHT = 3.5, 7.0

_FORBIDDEN = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')

_DARK = re.compile(r"@media \(prefers-color-scheme:dark\)\{.*?\}\}\n")
_VARIABLE = re.compile(r"--(\w+):(#\w+);?")

STYLE = """\
svg.dodona{color:#1f2328;font-family:"Helvetica Neue",Helvetica,Arial,"Liberation Sans",\
"Noto Sans",sans-serif;--arc:#4a6fa5;--tag:#78716c;--strong:#b45309}
@media (prefers-color-scheme:dark){svg.dodona{color:#e6e6e6;--arc:#8fb4e8;--tag:#a8a29e;\
--strong:#fbbf24}}
svg.dodona text{text-anchor:middle}
svg.dodona .form{font-size:16px;fill:currentColor}
svg.dodona .tag{font-size:11px;fill:var(--tag)}
svg.dodona .arc{color:var(--arc)}
svg.dodona .arc .line{fill:none;stroke:currentColor;stroke-width:1.3;stroke-linecap:round}
svg.dodona .arc .arrow{fill:currentColor}
svg.dodona .arc .label{font-size:11px;fill:currentColor}
svg.dodona.compact .form{font-size:13px}
svg.dodona.compact .tag,svg.dodona.compact .arc .label{font-size:9px}
svg.dodona .arc:hover,svg.dodona .word:hover,svg.dodona .word:focus{color:var(--strong);outline:0}
svg.dodona .arc:hover .line{stroke-width:2}
"""


def draw(
    forms: Sequence[str],
    arcs: Iterable[Arc],
    *,
    tags: Sequence[str] | None = None,
    width: float | None = None,
    standalone: bool = True,
    title: str | None = None,
    compact: bool = False,
    margin: float | None = None,
) -> str:
    """Draw a sentence with its arcs as an SVG picture.

    The arcs may cross, share a dependent, or be missing. A sentence wider than `width` pixels is
    broken into rows. Right-to-left text is drawn from right to left. `compact` uses smaller fonts
    and distances, for long sentences; `margin` is the blank border in pixels.

    >>> picture = draw(["Oaks", "speak"], [Arc(2, "nsubj", 1), Arc(0, "root", 2)])
    >>> picture.startswith("<svg"), picture.count('class="word"'), picture.count('class="arc"')
    (True, 2, 2)
    """
    forms, arcs = list(forms), [Arc(*arc) for arc in arcs]
    tags = None if tags is None else list(tags)
    _check(forms, arcs, tags)
    size = COMPACT if compact else NORMAL
    if margin is not None:
        size = replace(size, margin=margin)
    widths = [text_width(form, size.form_size) for form in forms]
    if tags is not None:
        tag_widths = [text_width(tag, size.tag_size) for tag in tags]
        widths = list(map(max, widths, tag_widths))
    labels = [text_width(arc.label, size.label_size) for arc in arcs]
    max_width = None if width is None else width - 2 * size.margin
    layout = arrange(widths, arcs, labels, max_width, size)
    return _SvgWriter(forms, arcs, tags, layout, size).render(standalone, title)


def stack_pictures(pictures: Iterable[str]) -> str:
    """Combine pictures made by `draw(..., standalone=False)` into one, below each other.

    >>> stack_pictures([draw(["Speak"], [], standalone=False)] * 2).count("<svg")
    3
    """
    parts, width, y = [], 0.0, 0.0
    for picture in pictures:
        size = _SIZE.search(picture)
        if size is None:
            raise ValueError(f"not a picture made by draw: {picture[:40]!r}")
        parts.append(picture.replace("<svg ", f'<svg y="{_n(y)}" ', 1))
        width, y = max(width, float(size[1])), y + float(size[2])
    total = f'width="{_n(width)}" height="{_n(y)}" viewBox="0 0 {_n(width)} {_n(y)}"'
    first = f'<svg xmlns="http://www.w3.org/2000/svg" class="dodona" {total}>'
    return "\n".join([first, f"<style>{STYLE}</style>", *parts, "</svg>"])


def _check(forms: Sequence[str], arcs: Sequence[Arc], tags: Sequence[str] | None) -> None:
    if tags is not None and len(tags) != len(forms):
        raise ValueError(f"{len(forms)} words, but {len(tags)} tags")
    for arc in arcs:
        if not (0 <= arc.head <= len(forms) and 1 <= arc.dependent <= len(forms)):
            raise ValueError(f"{arc} leads outside the sentence, which has {len(forms)} words")
        if arc.head == arc.dependent:
            raise ValueError(f"{arc} leads from a word to itself")


class _SvgWriter:
    """Writes a layout as SVG elements."""

    def __init__(
        self,
        forms: Sequence[str],
        arcs: Sequence[Arc],
        tags: Sequence[str] | None,
        layout: DrawingLayout,
        size: Dimensions,
    ) -> None:
        self.forms, self.arcs, self.tags, self.layout, self.size = forms, arcs, tags, layout, size
        self.is_mirrored = is_right_to_left(forms)
        self.width = layout.width + 2 * size.margin
        self.grounds: list[float] = []  # y coordinate of each row at which its arcs end
        below = size.above_form + size.below + (size.form_to_tag if tags is not None else 0)
        y = size.margin
        for row in layout.rows:
            levels = size.first_level + (row.n_levels - 1) * size.level_height + size.label_size / 2
            self.grounds.append(y + (levels if row.n_levels else 0))
            y = self.grounds[-1] + below + size.row_gap
        self.height = (y - size.row_gap if layout.rows else 0) + size.margin / 2

    def render(self, standalone: bool, title: str | None) -> str:
        name = safe(title if title is not None else " ".join(self.forms))
        size = f'width="{_n(self.width)}" height="{_n(self.height)}"'
        box = f'viewBox="0 0 {_n(self.width)} {_n(self.height)}"'
        direction = ' direction="rtl"' if self.is_mirrored else ""
        kind = f"dodona {self.size.css_class}".rstrip()
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" {size} {box} role="img" '
            f'aria-label="{name}"{direction}>'
        ]
        if title is not None:
            parts.append(f"<title>{name}</title>")
        if standalone:
            parts.append(f"<style>{STYLE}</style>")
        drawn = [""] * len(self.arcs)
        for segment in self.layout.segments:
            drawn[segment.arc] += self._segment(self.arcs[segment.arc], segment)
        for arc, lines in zip(self.arcs, drawn, strict=True):
            kind = f" {safe(arc.kind)}" if arc.kind else ""
            parts.append(
                f'<g class="arc{kind}" data-head="{arc.head}" data-dependent="{arc.dependent}" '
                f'data-label="{safe(arc.label)}">{lines}</g>'
            )
        return "\n".join([*parts, *self._words(), "</svg>"])

    def _words(self) -> Iterator[str]:
        for row, ground in zip(self.layout.rows, self.grounds, strict=True):
            y = ground + self.size.above_form
            for word, x in enumerate(row.centres, start=row.first):
                text = self._text("form", x, y, self.forms[word - 1])
                if self.tags is not None:
                    text += self._text("tag", x, y + self.size.form_to_tag, self.tags[word - 1])
                yield f'<g class="word" data-id="{word}" tabindex="0">{text}</g>'

    def _text(self, kind: str, x: float, y: float, text: str) -> str:
        return f'<text class="{kind}" x="{self._x(x)}" y="{_n(y)}">{safe(text)}</text>'

    def _segment(self, arc: Arc, segment: ArcSegment) -> str:
        ground, font_size, x = self.grounds[segment.row], self.size.label_size, segment.label_x
        y = ground - self.size.first_level - (segment.level - 1) * self.size.level_height
        label = self._text("label", x, y + font_size * 0.35, arc.label)
        if arc.head == 0:
            line = f"M{self._x(x)},{_n(y + font_size * 0.7)}V{_n(ground - ARROW_HEIGHT)}"
            return self._lines(line, x, ground) + label
        half = text_width(arc.label, font_size) / 2 + 3
        line = self._side(segment.x1, segment.left, arc, x - half, y, ground)
        line += self._side(segment.x2, segment.right, arc, x + half, y, ground)
        end = segment.x1 if segment.left == arc.dependent else segment.x2
        has_arrow = arc.dependent in (segment.left, segment.right)
        return self._lines(line, end if has_arrow else None, ground) + label

    def _side(
        self, x: float, word: int | None, arc: Arc, inner: float, y: float, ground: float
    ) -> str:
        """Return the path from a word (None: from the margin) up and along to the label."""
        if word is None:
            edge = x - self.size.margin if x == 0 else x + self.size.margin
            return f"M{self._x(edge)},{_n(y)}H{self._x(inner)}"
        bottom = ground - (ARROW_HEIGHT if word == arc.dependent else 0)
        inwards = 1 if inner > x else -1
        corner = min(self.size.corner, abs(inner - x))
        turn = f"Q{self._x(x)},{_n(y)} {self._x(x + inwards * corner)},{_n(y)}"
        along = f"H{self._x(inner)}" if abs(inner - x) > corner else ""
        return f"M{self._x(x)},{_n(bottom)}V{_n(y + self.size.corner)}{turn}{along}"

    def _lines(self, path: str, arrow: float | None, ground: float) -> str:
        drawn = f'<path class="line" d="{path}"/>'
        if arrow is not None:
            top = f"l{_n(-ARROW_WIDTH)},{_n(-ARROW_HEIGHT)}h{_n(2 * ARROW_WIDTH)}z"
            drawn += f'<path class="arrow" d="M{self._x(arrow)},{_n(ground)}{top}"/>'
        return drawn

    def _x(self, x: float) -> str:
        x += self.size.margin
        return _n(self.width - x if self.is_mirrored else x)


def in_fixed_colours(svg: str) -> str:
    """Replace the CSS variables of a picture by the light colours, for programs without variables.

    >>> "var(" in in_fixed_colours(draw(["Speak"], []))
    False
    """
    style = _DARK.sub("", STYLE)
    for name, colour in _VARIABLE.findall(style):
        style = style.replace(f"var(--{name})", colour)
    return svg.replace(STYLE, _VARIABLE.sub("", style))


def clean(text: str) -> str:
    """Replace the characters that XML does not allow by U+FFFD.

    >>> clean("oak\\x00")
    'oak�'
    """
    return _FORBIDDEN.sub("�", text)


def safe(text: str) -> str:
    """Escape a text for XML, also for attribute values."""
    return escape(clean(text))


def _n(number: float) -> str:
    """Format a coordinate, rounded to a tenth of a pixel."""
    return f"{round(number, 1) + 0.0:.1f}".removesuffix(".0")  # + 0.0 avoids -0.0
