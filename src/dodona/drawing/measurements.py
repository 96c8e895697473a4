"""Dimensions of a drawing: fonts, distances, widths, and the ports at which arcs meet their words.

Widths of texts are estimated without font files, in em, for the common sans-serif fonts (Helvetica,
Arial and compatible ones). They need not be exact: layouts leave some space, and texts are centred.

Every end of an arc has its own *port* at its word. The ports of a word are ordered such that nested
arcs never touch: from left to right the arcs that come from the left, shortest first, then the arc
from the root, then the arcs to the right, shortest last.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from unicodedata import bidirectional, category, east_asian_width, normalize

LATIN = {
    **dict.fromkeys("ijl'|", 0.23),
    **dict.fromkeys(" !,./:;I[]\\ft·", 0.28),
    **dict.fromkeys('()-r`"{}*^', 0.36),
    **dict.fromkeys("Jcksvxyz", 0.5),
    **dict.fromkeys("ABEFKLPSTVXYZ&", 0.66),
    **dict.fromkeys("CDGHNOQRUw", 0.75),
    **dict.fromkeys("mMW%@—…", 0.95),
}
LOWER_CASE, UPPER_CASE, WIDE, EMOJI = 0.56, 0.7, 1.0, 1.25
JOINER = "\u200d"  # joins the emoji around it into one glyph
SKIN_TONES = range(0x1F3FB, 0x1F400)
FIRST_EMOJI = 0x1F000


def width(text: str, size: float) -> float:
    """Return the width of a text in a font of this size, in pixels.

    >>> round(width("oak", 16)), round(width("神託", 16)), width("e\u0301", 16) == width("e", 16)
    (26, 32, True)
    """
    if JOINER in text:
        first, *joined = text.split(JOINER)
        text = first + "".join(part[1:] for part in joined)
    return size * sum(map(_advance, text))


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Return whether most letters belong to right-to-left scripts.

    >>> is_right_to_left(["שלום", "."]), is_right_to_left(["oak", "ש"])
    (True, False)
    """
    balance = 0
    for text in texts:
        for char in text:
            direction = bidirectional(char)
            balance += (direction in ("R", "AL")) - (direction == "L")
    return balance > 0


@cache
def _advance(char: str) -> float:
    """Return the width of one character.

    Characters are decomposed one by one: `normalize` is quadratic in a run of combining marks.
    """
    return sum(map(_plain_advance, normalize("NFD", char)))


def _plain_advance(char: str) -> float:
    if char in LATIN:
        return LATIN[char]
    kind = category(char)
    if kind in ("Mn", "Me", "Cf", "Cc") or ord(char) in SKIN_TONES:
        return 0.0
    if "\u1160" <= char <= "\u11ff":  # Hangul vowels and finals combine with the syllable
        return 0.0
    if east_asian_width(char) in "WF":
        return WIDE if ord(char) < FIRST_EMOJI or char.isalpha() else EMOJI
    return UPPER_CASE if kind == "Lu" else LOWER_CASE


@dataclass(frozen=True)
class Dimensions:
    """Font sizes and distances of a drawing, in pixels."""

    css_class: str = ""  # class of the SVG element, which selects the font sizes in the style
    form_size: float = 16
    tag_size: float = 11
    label_size: float = 11
    margin: float = 12
    level_height: float = 19  # between the horizontal lines of two levels
    first_level: float = 20  # between the words and the lowest level
    above_form: float = 19  # from the ends of the arcs to the baseline of the words
    form_to_tag: float = 16  # between the two baselines
    below: float = 7
    row_gap: float = 22
    corner: float = 8
    word_gap: float = 18
    port_gap: float = 9  # between the ends of arcs at one word
    label_padding: float = 16  # length of an arc beyond its label: two corners and some line


NORMAL = Dimensions()
COMPACT = Dimensions(
    css_class="compact",
    form_size=13,
    tag_size=9,
    label_size=9,
    level_height=14,
    first_level=15,
    above_form=15,
    form_to_tag=12,
    below=5,
    row_gap=14,
    corner=5,
    word_gap=8,
    port_gap=6,
    label_padding=9,
)


class Arc(NamedTuple):
    """An arc to draw; words are numbered from 1, and head 0 is the artificial root.

    `kind` becomes a CSS class of the drawn arc.
    """

    head: int
    label: str
    dependent: int
    kind: str = ""


class Measurements:
    """Widths of words and labels in pixels, and the arcs at every word."""

    def __init__(
        self,
        widths: Sequence[float],
        arcs: Sequence[Arc],
        label_widths: Sequence[float],
        dimensions: Dimensions = NORMAL,
    ) -> None:
        self.dimensions = dimensions
        self.spans = [(min(arc.head, arc.dependent), max(arc.head, arc.dependent)) for arc in arcs]
        self.is_root = [arc.head == 0 for arc in arcs]
        self.label_widths = label_widths
        self.arc_widths = [width + dimensions.label_padding for width in label_widths]  # at least
        self.from_left: list[list[int]] = [[] for _ in range(len(widths) + 2)]
        self.to_right: list[list[int]] = [[] for _ in range(len(widths) + 2)]
        self.roots: list[list[int]] = [[] for _ in range(len(widths) + 2)]
        for i, (left, right) in enumerate(self.spans):
            if self.is_root[i]:
                self.roots[right].append(i)
            else:
                self.to_right[left].append(i)
                self.from_left[right].append(i)
        self.ports: dict[tuple[int, int], float] = {}  # (arc, word): offset from the word's centre
        self.widths = [0.0, *(self._add_ports(i, w) for i, w in enumerate(widths, start=1))]

    def _add_ports(self, word: int, width: float) -> float:
        """Record the ports of a word; return the width that the word needs with them."""

        def length(arc: int) -> tuple[int, int]:
            return self.spans[arc][1] - self.spans[arc][0], arc

        ends = sorted(self.from_left[word], key=length) + self.roots[word]
        ends += sorted(self.to_right[word], key=length, reverse=True)
        for k, arc in enumerate(ends):
            self.ports[arc, word] = (k - (len(ends) - 1) / 2) * self.dimensions.port_gap
        return max(width, len(ends) * self.dimensions.port_gap)
