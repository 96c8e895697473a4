"""Composed characters (Unicode's NFC) of texts of any kind, in linear time.

Python's normaliser sorts the combining marks after a character by insertion, in quadratic time,
and holds the GIL meanwhile: 600,000 marks take a quarter of an hour. Unicode's stream-safe text
format (UAX #15) allows 30, more than any script needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import combining, normalize

from dodona.server.errors import bad

MOST_MARKS = 30
FIRST_MARK, AFTER_MARKS = 0x300, 0x1F000  # all combining marks are between these
PIECE = 1 << 16  # characters

_BEFORE_ASCII = re.compile("[\0-\x7f]")  # which composes with no character before it


def compose(data: bytes) -> bytes:
    """Return UTF-8 text in NFC, or refuse one with too many marks on a character.

    >>> compose("e\\u0301".encode()).decode() == "\\u00e9"
    True
    """
    return b"".join(_compose(piece).encode() for piece in _pieces(data.decode()))


def _pieces(text: str) -> Iterator[str]:
    """Cut a text where nothing is composed across the cut."""
    start = 0
    while start < len(text):
        found = _BEFORE_ASCII.search(text, start + PIECE)
        end = len(text) if found is None else found.start()
        yield text[start:end]
        start = end


def _compose(piece: str) -> str:
    if _too_many_marks().search(piece):
        why = f"normalize=nfc: more than {MOST_MARKS} combining marks follow each other"
        raise bad(f"{why}; remove them, or send the text without normalize")
    return normalize("NFC", piece)


@cache
def _too_many_marks() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(FIRST_MARK, AFTER_MARKS) if combining(chr(code)))
    return re.compile(f"[{marks}]{{{MOST_MARKS + 1}}}")
