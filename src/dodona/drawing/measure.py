"""Estimates of text widths without font files, and the direction of a text.

Widths are in em, for the common sans-serif fonts (Helvetica, Arial and compatible ones). They need
not be exact: layouts leave some space, and texts are centred.
"""

from collections.abc import Iterable
from functools import cache
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
