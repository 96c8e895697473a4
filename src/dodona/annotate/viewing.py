"""Views of sentences: words with who decided on them, and the rules of UD that they break."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2s
from unicodedata import bidirectional

from dodona.annotate.marks import (
    arc_state,
    has_own_arc,
    has_own_label,
    tags_state,
    without_marks,
)
from dodona.annotate.rows import (
    DEPREL,
    FEATS,
    FORM,
    ID,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    Row,
    Rows,
)
from dodona.annotate.views import (
    RangeView,
    SentenceProblem,
    SentenceState,
    SentenceView,
    WordView,
)
from dodona.validation.validator import validate_bytes

_OF_FILES = ("line-end", "mark", "end", "blank")  # kinds of problems that are not the sentence's
_OF_ARCS, _OF_TAGS = ("head", "deprel", "root"), ("upos",)  # of words that are open
_UNDECIDED = re.compile(rb"^[0-9]+\t(?:[^\t\n]*\t){5}(?:[^\t\n]*\t)?_\t", re.MULTILINE)
_DECIDED = re.compile(rb"^[0-9]+\t(?:[^\t\n]*\t){5}[0-9]+\t", re.MULTILINE)


def view_of(
    index: int, revision: str, rows: Rows, sure: Mapping[int, float], changed: tuple[int, ...] = ()
) -> SentenceView:
    """Return the view of a sentence with its guesses."""
    words = [*enumerate(rows.words, 1)]
    return SentenceView(
        index=index,
        sent_id=rows.comment("sent_id") or "",
        text=rows.comment("text") or rows.text(),
        revision=revision,
        comments=tuple(rows.comments),
        words=tuple(_word(i, row, sure.get(i)) for i, row in words),
        ranges=tuple(_range(row, *row.range) for row in rows.ranges if row.range),
        problems=_problems(rows),
        is_rtl=is_rtl(rows.text()),
        state=state_of(rows),
        changed=changed,
    )


def revision_of(uid: int, shown: bytes) -> str:
    """Return a short name of what is shown of a sentence."""
    return blake2s(uid.to_bytes(8, "little") + shown, digest_size=8).hexdigest()


def _word(number: int, row: Row, confidence: float | None) -> WordView:
    fields = row.fields
    return WordView(
        id=number,
        form=fields[FORM],
        lemma=fields[LEMMA],
        upos=fields[UPOS],
        xpos=fields[XPOS],
        feats=fields[FEATS],
        head=row.head,
        deprel=fields[DEPREL],
        misc=without_marks(fields[MISC]),
        space_after=row.space_after,
        arc=arc_state(row),
        tags=tags_state(row),
        confidence=None if confidence is None else round(confidence, 4),
    )


def _range(row: Row, first: int, last: int) -> RangeView:
    return RangeView(first, last, row.fields[FORM], row.space_after)


def is_rtl(text: str) -> bool:
    """Return whether a text is written from right to left, by its first strong character.

    >>> is_rtl("1 שלום"), is_rtl("oak")
    (True, False)
    """
    strong = (bidirectional(char) for char in text)
    return next((kind for kind in strong if kind in ("L", "R", "AL")), "L") != "L"


def state_of(rows: Rows) -> SentenceState:
    """Return how far a sentence is decided.

    It is done when every word has a head and a label that the parser did not merely guess, and no
    tag is merely guessed; it is partial when a person has decided on anything.
    """
    words, tags = rows.words, [tags_state(row) for row in rows.words]
    if all(map(has_own_label, words)) and "guessed" not in tags:
        return "done"
    return "partial" if "set" in tags or any(map(has_own_arc, words)) else "untouched"


def state_of_data(data: bytes) -> SentenceState:
    """Return the state of a sentence; fast where there are no marks."""
    if b"Arc=" in data or b"Tags=" in data:
        return state_of(Rows.of(data))
    if not _UNDECIDED.search(data):
        return "done"
    return "partial" if _DECIDED.search(data) else "untouched"


def _problems(rows: Rows) -> tuple[SentenceProblem, ...]:
    """Return the rules of UD that a sentence breaks, without those of words that are open."""
    by_line = dict(enumerate((line for line in rows.lines), 1))
    found = []
    for problem in validate_bytes(bytes(Rows("", rows.lines, rows.end, rows.end))):
        line = by_line.get(problem.line)
        row = line if isinstance(line, Row) and line.is_word else None
        if problem.kind in _OF_FILES or (row is not None and _is_open(row, problem.kind)):
            continue
        word = 0 if row is None else int(row.fields[ID])
        about = problem.kind, problem.message, problem.level, problem.is_warning
        found.append(SentenceProblem(word, *about))
    return tuple(found)


def _is_open(row: Row, kind: str) -> bool:
    is_open_arc = not has_own_label(row) and row.fields[DEPREL] == "_"
    return (kind in _OF_ARCS and is_open_arc) or (kind in _OF_TAGS and tags_state(row) == "open")
