"""A dependency tree or graph as SVG: words in a line, labelled arcs above them, tags beneath.

Colours are those of the page (`currentColor`) and of the style below, which a drawing carries with
it unless the page says `standalone=False` and styles it itself.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape

from dodona.drawing.layout import Arc, Layout, Piece, arrange
from dodona.drawing.look import COMPACT, USUAL, Look
from dodona.drawing.measure import is_right_to_left
from dodona.drawing.measure import width as text_width

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
    """The sentence as an SVG picture.

    Any arcs will do: crossing ones, several to a word, none. A sentence that would be wider than
    `width` pixels is broken into rows. Text from right to left is drawn from right to left.
    `compact` draws all smaller and closer together, for long sentences; `margin` is what is left
    free around it, in pixels.

    >>> picture = draw(["Oaks", "speak"], [Arc(2, "nsubj", 1), Arc(0, "root", 2)])
    >>> picture.startswith("<svg"), picture.count('class="word"'), picture.count('class="arc"')
    (True, 2, 2)
    """
    forms, arcs = list(forms), [Arc(*arc) for arc in arcs]
    tags = None if tags is None else list(tags)
    _check(forms, arcs, tags)
    look = COMPACT if compact else USUAL
    if margin is not None:
        look = replace(look, margin=margin)
    room = None if width is None else width - 2 * look.margin
    labels = [text_width(arc.label, look.label_size) for arc in arcs]
    layout = arrange(_widths(forms, tags, look), arcs, labels, room, look)
    return _Picture(forms, arcs, tags, layout, look).render(standalone, title)


def stack_pictures(pictures: Iterable[str]) -> str:
    """One picture of several that `draw` made with `standalone=False`, one below the other.

    >>> stack_pictures([draw(["Speak"], [], standalone=False)] * 2).count("<svg")
    3
    """
    parts, most, y = [], 0.0, 0.0
    for picture in pictures:
        size = _SIZE.search(picture)
        if size is None:
            raise ValueError(f"not a picture of ours: {picture[:40]!r}")
        parts.append(picture.replace("<svg ", f'<svg y="{_n(y)}" ', 1))
        most, y = max(most, float(size[1])), y + float(size[2])
    size_of_all = f'width="{_n(most)}" height="{_n(y)}" viewBox="0 0 {_n(most)} {_n(y)}"'
    first = f'<svg xmlns="http://www.w3.org/2000/svg" class="dodona" {size_of_all}>'
    return "\n".join([first, f"<style>{STYLE}</style>", *parts, "</svg>"])


def _check(forms: Sequence[str], arcs: Sequence[Arc], tags: Sequence[str] | None) -> None:
    if tags is not None and len(tags) != len(forms):
        raise ValueError(f"{len(forms)} words, but {len(tags)} tags")
    for arc in arcs:
        if not (0 <= arc.head <= len(forms) and 1 <= arc.dependent <= len(forms)):
            raise ValueError(f"{arc} leads outside the sentence, which has {len(forms)} words")
        if arc.head == arc.dependent:
            raise ValueError(f"{arc} leads from a word to itself")


def _widths(forms: Sequence[str], tags: Sequence[str] | None, look: Look) -> list[float]:
    found = [text_width(form, look.form_size) for form in forms]
    if tags is not None:
        of_tags = [text_width(tag, look.tag_size) for tag in tags]
        found = [max(widths) for widths in zip(found, of_tags, strict=True)]
    return found


class _Picture:
    """The pieces of a layout, written down."""

    def __init__(
        self,
        forms: Sequence[str],
        arcs: Sequence[Arc],
        tags: Sequence[str] | None,
        layout: Layout,
        look: Look,
    ) -> None:
        self.forms, self.arcs, self.tags, self.layout = forms, arcs, tags, layout
        self.look = look
        self.is_mirrored = is_right_to_left(forms)
        self.width = layout.width + 2 * self.look.margin
        self.grounds: list[float] = []  # of each row: where its arcs end, above the words
        below = (
            self.look.above_form
            + self.look.below
            + (self.look.form_to_tag if tags is not None else 0)
        )
        y = self.look.margin
        for row in layout.rows:
            levels = (
                self.look.first_level
                + (row.n_levels - 1) * self.look.level_height
                + self.look.label_size / 2
            )
            self.grounds.append(y + (levels if row.n_levels else 0))
            y = self.grounds[-1] + below + self.look.row_gap
        self.height = (y - self.look.row_gap if layout.rows else 0) + self.look.margin / 2

    def render(self, standalone: bool, title: str | None) -> str:
        name = safe(title if title is not None else " ".join(self.forms))
        size = f'width="{_n(self.width)}" height="{_n(self.height)}"'
        box = f'viewBox="0 0 {_n(self.width)} {_n(self.height)}"'
        direction = ' direction="rtl"' if self.is_mirrored else ""
        kind = f"dodona {self.look.name}".rstrip()
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" {size} {box} role="img" '
            f'aria-label="{name}"{direction}>'
        ]
        if title is not None:
            parts.append(f"<title>{name}</title>")
        if standalone:
            parts.append(f"<style>{STYLE}</style>")
        pieces: list[list[Piece]] = [[] for _ in self.arcs]
        for piece in self.layout.pieces:
            pieces[piece.arc].append(piece)
        parts += [self._arc(arc, found) for arc, found in zip(self.arcs, pieces, strict=True)]
        parts += self._words()
        return "\n".join([*parts, "</svg>"])

    def _words(self) -> list[str]:
        words = []
        for row, ground in zip(self.layout.rows, self.grounds, strict=True):
            for word, centre in enumerate(row.centres, start=row.first):
                y = ground + self.look.above_form
                text = self._text("form", centre, y, self.forms[word - 1])
                if self.tags is not None:
                    text += self._text(
                        "tag", centre, y + self.look.form_to_tag, self.tags[word - 1]
                    )
                words.append(f'<g class="word" data-id="{word}" tabindex="0">{text}</g>')
        return words

    def _text(self, kind: str, x: float, y: float, text: str) -> str:
        return f'<text class="{kind}" x="{self._x(x)}" y="{_n(y)}">{safe(text)}</text>'

    def _arc(self, arc: Arc, pieces: Sequence[Piece]) -> str:
        kind = f" {safe(arc.kind)}" if arc.kind else ""
        drawn = "".join(self._piece(arc, piece) for piece in pieces)
        return (
            f'<g class="arc{kind}" data-head="{arc.head}" data-dependent="{arc.dependent}" '
            f'data-label="{safe(arc.label)}">{drawn}</g>'
        )

    def _piece(self, arc: Arc, piece: Piece) -> str:
        ground = self.grounds[piece.row]
        y = ground - self.look.first_level - (piece.level - 1) * self.look.level_height
        label = self._text("label", piece.label_x, y + self.look.label_size * 0.35, arc.label)
        if arc.head == 0:
            x = self._x(piece.label_x)
            line = f"M{x},{_n(y + self.look.label_size * 0.7)}V{_n(ground - ARROW_HEIGHT)}"
            return self._lines(line, piece.label_x, ground) + label
        half = text_width(arc.label, self.look.label_size) / 2 + 3
        sides = (
            self._side(piece.x1, piece.left, arc, piece.label_x - half, y, ground),
            self._side(piece.x2, piece.right, arc, piece.label_x + half, y, ground),
        )
        end = piece.x1 if piece.left == arc.dependent else piece.x2
        shown = arc.dependent in (piece.left, piece.right)
        return self._lines("".join(sides), end if shown else None, ground) + label

    def _side(
        self, x: float, word: int | None, arc: Arc, inner: float, y: float, ground: float
    ) -> str:
        """From a word, or the margin, up and along to the label; nothing where there is no room."""
        if word is None:
            edge = x - self.look.margin if x == 0 else x + self.look.margin
            return f"M{self._x(edge)},{_n(y)}H{self._x(inner)}"
        bottom = ground - (ARROW_HEIGHT if word == arc.dependent else 0)
        inwards = 1 if inner > x else -1
        corner = min(self.look.corner, abs(inner - x))
        turn = f"Q{self._x(x)},{_n(y)} {self._x(x + inwards * corner)},{_n(y)}"
        along = f"H{self._x(inner)}" if abs(inner - x) > corner else ""
        return f"M{self._x(x)},{_n(bottom)}V{_n(y + self.look.corner)}{turn}{along}"

    def _lines(self, path: str, arrow: float | None, ground: float) -> str:
        drawn = f'<path class="line" d="{path}"/>'
        if arrow is not None:
            top = f"l{_n(-ARROW_WIDTH)},{_n(-ARROW_HEIGHT)}h{_n(2 * ARROW_WIDTH)}z"
            drawn += f'<path class="arrow" d="M{self._x(arrow)},{_n(ground)}{top}"/>'
        return drawn

    def _x(self, x: float) -> str:
        x += self.look.margin
        return _n(self.width - x if self.is_mirrored else x)


def in_fixed_colours(svg: str) -> str:
    """A picture for programs that know no variables in styles: the colours of a light page.

    >>> "var(" in in_fixed_colours(draw(["Speak"], []))
    False
    """
    style = _DARK.sub("", STYLE)
    for name, colour in _VARIABLE.findall(style):
        style = style.replace(f"var(--{name})", colour)
    return svg.replace(STYLE, _VARIABLE.sub("", style))


def clean(text: str) -> str:
    """The text without characters that XML does not allow.

    >>> clean("oak\\x00")
    'oak�'
    """
    return _FORBIDDEN.sub("�", text)


def safe(text: str) -> str:
    """The text as it may stand in XML, in a value between quotes too."""
    return escape(clean(text))


def _n(number: float) -> str:
    """A tenth of a pixel is enough."""
    return f"{round(number, 1) + 0.0:.1f}".removesuffix(".0")  # + 0.0: no -0.0
