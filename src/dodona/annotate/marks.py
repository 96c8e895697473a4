"""Who decided on an arc and on tags: marks in MISC.

`Arc=` and `Tags=` are `Set` (by a person), `Guessed` (by the parser) or `Confirmed` (guessed, and a
person agreed). Where a person set only a part, the mark names it: `Arc=Head` (the label is
guessed), `Tags=Upos,Feats` (the other tags are). A word without a mark is confirmed if it has a
value, as in a treebank from elsewhere, and open if it has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from dodona.annotate.rows import BLANK, DEPREL, TAGS, Row
from dodona.annotate.views import Decided

MarkName = Literal["Arc", "Tags"]
ARC: MarkName = "Arc"
TAG_MARK: MarkName = "Tags"
SET, GUESSED, CONFIRMED, HEAD_ONLY = "Set", "Guessed", "Confirmed", "Head"
_NAMES = (ARC, TAG_MARK)
_STATES: dict[str, Decided] = {GUESSED: "guessed", CONFIRMED: "confirmed"}  # others: "set"


def mark_of(row: Row, name: MarkName) -> str | None:
    """Return the value of a mark, if there is one."""
    for part in row.misc:
        key, sign, value = part.partition("=")
        if sign and key == name:
            return value
    return None


def set_mark(row: Row, name: MarkName, value: str | None) -> None:
    """Set a mark, or remove it (None); all other parts of MISC keep their places."""
    if mark_of(row, name) == value:
        return
    parts = [part for part in row.misc if part.partition("=")[0] != name]
    row.misc = parts if value is None else [*parts, f"{name}={value}"]


def arc_state(row: Row) -> Decided:
    """Return who decided on the arc of a word."""
    if row.head is None:
        return "open"
    mark = mark_of(row, ARC)
    return "confirmed" if mark is None else _STATES.get(mark, "set")


def tags_state(row: Row) -> Decided:
    """Return who decided on the tags of a word."""
    mark = mark_of(row, TAG_MARK)
    if mark is not None:
        return _STATES.get(mark, "set")
    is_blank = all(row.fields[column] == BLANK for column in TAGS.values())
    return "open" if is_blank else "confirmed"


def has_own_arc(row: Row) -> bool:
    """Whether a person, or the file, decided on the head of a word."""
    return arc_state(row) in ("set", "confirmed")


def has_own_label(row: Row) -> bool:
    """Whether a person, or the file, decided on head and label of a word."""
    return has_own_arc(row) and mark_of(row, ARC) != HEAD_ONLY and row.fields[DEPREL] != BLANK


def own_tags(row: Row) -> frozenset[str]:
    """Return the tag columns that are decided; a blank one is, if the others are confirmed."""
    mark = mark_of(row, TAG_MARK)
    if tags_state(row) == "open" or mark == GUESSED:
        return frozenset()
    if mark in (None, CONFIRMED, SET):
        return frozenset(TAGS)
    return frozenset(name.lower() for name in str(mark).split(","))


def set_own_tags(row: Row, names: Iterable[str]) -> None:
    """Mark tag columns as set by a person, all others as guessed."""
    chosen = {*names}
    ordered = [name.capitalize() for name in TAGS if name in chosen]
    set_mark(row, TAG_MARK, SET if chosen >= {*TAGS} else ",".join(ordered) or GUESSED)


def without_marks(misc: str) -> str:
    """Return MISC without the marks.

    >>> without_marks("SpaceAfter=No|Arc=Set"), without_marks("Arc=Guessed")
    ('SpaceAfter=No', '_')
    """
    kept = [part for part in misc.split("|") if part.partition("=")[0] not in _NAMES]
    return "|".join(kept) or BLANK
