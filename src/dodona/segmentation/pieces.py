"""Texts cut into pieces that threads can scan side by side.

A piece ends where a sentence probably does: best at a blank line, where one always ends, or else at
the end of a line or behind a full stop. The scan of a piece reads some characters beyond its end
and says where its last sentence really ends. If that is elsewhere, the rest is scanned again with
the next piece (`JoinedScans`), so that sentences are those of the whole text, however it is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dodona.core.segmenting.text_scanner import LOOKAHEAD
from dodona.records import record
from dodona.segmentation.segmenter import Segmenter, before_error
from dodona.segmentation.sentence_writer import Cursor, ScannedText
from dodona.treebank.block import Block

PIECE = 20_000  # characters: about 4,000 words, which are parsed together

# how pieces end, the best first
_BLANK_LINES = ("\n\n", "\n\r\n")
_LINES = ("\n",)
_SENTENCES = (".\n", "!\n", "?\n", ".\r\n", "!\r\n", "?\r\n", '."\n', ".”\n")
_STOPS = (". ", "! ", "? ", "。", "\uff01", "\uff1f", "। ")
_SPACES = (" ", "\t")
LEARNED_ENDS = (_BLANK_LINES, _SENTENCES, _LINES, _STOPS, _SPACES)
LINE_ENDS = (_LINES, _SPACES)


@record(frozen=True)
class Source:
    """A text in chunks, or sentences of a treebank, that become one document or one file."""

    chunks: Iterable[str] | None
    sentences: Iterable[Any] = ()  # if there are no chunks; bad ones among them pass unchanged
    name: str = ""  # of the text, for the ids of its sentences
    language: str = ""
    by_lines: bool = False
    context: Any = None


@record(frozen=True)
class Piece:
    """A piece of a text."""

    source: Source
    text: str  # with up to LOOKAHEAD characters of the next piece
    n_own: int  # characters without those
    is_first: bool  # of its text
    is_last: bool  # the text is over …
    is_end: bool  # … and its source had no error


def cut(source: Source) -> Iterator[Piece]:
    """Yield the pieces of a text; an error of its chunks is raised after what was before it.

    >>> text = "Oaks speak. " * 2000 + "\\n\\n" + "Elms listen. " * 2000
    >>> [piece.n_own for piece in cut(Source([text]))]
    [19992, 20000, 10010]
    """
    ends = LINE_ENDS if source.by_lines else LEARNED_ENDS
    errors: list[Exception] = []
    waiting, n_waiting, wanted, is_first = [""], 0, PIECE, True
    for chunk in before_error(source.chunks or (), errors):
        waiting.append(chunk)
        n_waiting += len(chunk)
        if n_waiting < wanted + LOOKAHEAD:
            continue
        text, at = "".join(waiting), 0
        while len(text) - at >= wanted + LOOKAHEAD:
            end = _find_end(text, at, at + wanted, ends)
            if end is None:  # thousands of spaces
                wanted *= 2
                continue
            yield Piece(source, text[at : end + LOOKAHEAD], end - at, is_first, False, False)
            at, wanted, is_first = end, PIECE, False
        waiting, n_waiting = [text[at:]], len(text) - at
    text = "".join(waiting)
    yield Piece(source, text, len(text), is_first, True, not errors)
    for error in errors:
        raise error


def _find_end(text: str, start: int, end: int, kinds: Iterable[tuple[str, ...]]) -> int | None:
    """Return where a piece may end: in its second half, before a character that is no space."""
    middle, latest = (start + end) // 2, len(text) - LOOKAHEAD
    for marks in (*kinds, ()):  # at last anywhere: a guess that is wrong is scanned again
        at = max((text.rfind(mark, middle, end) + len(mark) for mark in marks), default=end)
        while middle < at < latest and text[at].isspace():
            at += 1
        if middle < at < latest:
            return at
    return None


class JoinedScans:
    """The scans of the pieces of texts, one after the other, made to agree with each other."""

    def __init__(self, segmenter: Segmenter) -> None:
        self._writer = segmenter.writer
        self._nothing = self._writer.scan("", is_end=False)
        self._begin(Cursor())

    def _begin(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._rest, self._n_scanned = "", 0  # an incomplete sentence, and what is known to be so

    def scan(self, piece: Piece) -> ScannedText:
        """Scan a piece as if a sentence began with it; threads may do so side by side."""
        return self._scan(piece, piece.text, in_list=False)

    def join(self, piece: Piece, scanned: ScannedText) -> tuple[ScannedText, Cursor]:
        """Return what to write of the next piece, scanned again if a sentence goes on in it."""
        if piece.is_first:
            self._begin(Cursor(piece.source.name, piece.source.language))
        cursor, text = self._cursor, self._rest + piece.text
        n_own = len(self._rest) + piece.n_own
        if n_own < 2 * self._n_scanned and not piece.is_last:
            scanned = self._nothing  # a long sentence is scanned again when it has doubled
        elif self._rest or cursor.in_list:
            scanned = self._scan(piece, text, in_list=cursor.in_list)
        self._cursor, self._rest = cursor.after(scanned), text[scanned.taken : n_own]
        if scanned is not self._nothing:
            self._n_scanned = len(self._rest)
        return scanned, cursor

    def write(
        self, parts: Iterable[tuple[ScannedText, Cursor]], most_words: int
    ) -> Iterator[Block]:
        """Yield the sentences of pieces that were joined, in blocks; threads may do so, too."""
        return self._writer.write(parts, most_words)

    def _scan(self, piece: Piece, text: str, *, in_list: bool) -> ScannedText:
        return self._writer.scan(
            text, by_lines=piece.source.by_lines, is_end=piece.is_last, in_list=in_list
        )
