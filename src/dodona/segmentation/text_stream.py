"""Texts on several threads: each thread segments, annotates and writes pieces of text.

The caller's thread cuts texts, joins the scans of their pieces, and passes on results in order. The
other threads hold the interpreter lock for a few calls per piece, not for the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from typing import Any, Generic, TypeVar

from dodona.batches import (
    MAX_BATCH_WORDS,
    Pool,
    Sentences,
    apply_to,
    batches_of,
    check_threads,
    n_words_of,
)
from dodona.core.base.heaps import return_memory
from dodona.records import record
from dodona.segmentation.pieces import PIECE, JoinedScans, Piece, Source, cut
from dodona.segmentation.segmenter import Segmenter, Splitting, require_segmenter
from dodona.segmentation.sentence_writer import Cursor, ScannedText
from dodona.treebank.block import Block

AHEAD = 2  # groups of pieces per thread that are scanned, and that are annotated, ahead of output
MOST_PIECES = 256  # of a group
WORD = 5  # characters that a word of a given sentence counts as in a group of pieces
MANY = 30_000  # words after which free memory is returned
LARGE = 4 * PIECE  # characters of a piece: only one without spaces has as many

START = Cursor()

T = TypeVar("T")
Annotate = Callable[[Sentences], Sentences]


@record(frozen=True)
class Annotated(Generic[T]):
    """The result of a part of a source; `is_end` if it is the last and all of it was read."""

    source: Source
    found: T
    n_words: int
    is_end: bool


@record(frozen=True)
class Given:
    """Sentences of a source that need not be found in a text."""

    source: Source
    sentences: list[Any]
    is_end: bool

    @property
    def n_sentences(self) -> int:
        return len(self.sentences)


@record(frozen=True)
class ScannedPiece:
    """A piece of a text with its tokens; `cursor` is known once they agree with earlier pieces."""

    piece: Piece
    scanned: ScannedText
    cursor: Cursor

    @property
    def source(self) -> Source:
        return self.piece.source

    @property
    def is_end(self) -> bool:
        return self.piece.is_end

    @property
    def n_sentences(self) -> int:
        return self.scanned.n_sentences


def annotate(
    sources: Iterable[Source],
    segmenter: Segmenter | None,
    work: Annotate,
    finish: Callable[[list[Sentences]], T],
    threads: int,
) -> Iterator[Annotated[T]]:
    """Annotate texts and sentences by `work`, in order; `finish` makes results in the threads.

    `work` gets blocks of the sentences of texts, and lists of sentences that were given. An error
    of the input is raised after the results of everything before it.
    """
    check_threads(threads)
    return _annotate(_groups(sources, segmenter), _Steps(segmenter, work, finish), threads)


def _annotate(
    groups: Iterator[list[Piece | Given]], steps: _Steps[T], threads: int
) -> Iterator[Annotated[T]]:
    n_words = 0
    try:
        with Pool(threads) as pool:
            scanned = pool.map(steps.scan, groups, AHEAD)
            for done in pool.map(steps.finish, map(steps.join, scanned), AHEAD):
                for part in done:
                    n_words += part.n_words
                    yield part
    finally:
        if n_words >= MANY or steps.n_characters >= MANY * WORD:
            return_memory()


class _Steps(Generic[T]):
    """What happens to a group of pieces: `scan` and `finish` in any thread, `join` in order."""

    def __init__(
        self,
        segmenter: Segmenter | None,
        work: Annotate,
        finish: Callable[[list[Sentences]], T],
    ) -> None:
        self._segmenter, self._work, self._finish = segmenter, work, finish
        self._joined = None if segmenter is None else JoinedScans(segmenter)
        self.n_characters = 0  # of all texts

    @property
    def joined(self) -> JoinedScans:
        assert self._joined is not None  # there are no pieces of text without a segmenter
        return self._joined

    def scan(self, group: list[Piece | Given]) -> list[ScannedPiece | Given]:
        return [
            ScannedPiece(one, self.joined.scan(one), START) if isinstance(one, Piece) else one
            for one in group
        ]

    def join(self, group: list[ScannedPiece | Given]) -> list[ScannedPiece | Given]:
        self.n_characters += sum(one.piece.n_own for one in group if isinstance(one, ScannedPiece))
        return [
            ScannedPiece(one.piece, *self.joined.join(one.piece, one.scanned))
            if isinstance(one, ScannedPiece)
            else one
            for one in group
        ]

    def finish(self, group: list[ScannedPiece | Given]) -> Iterable[Annotated[T]]:
        shares = zip(group, _shares(group, self._annotate(group)), strict=True)
        if any(isinstance(one, ScannedPiece) and one.scanned.taken > LARGE for one in group):
            return self._one_by_one(shares)
        return [self._result(one, [*found], one.is_end) for one, found in shares]

    def _one_by_one(
        self, shares: Iterable[tuple[ScannedPiece | Given, Iterator[Sentences]]]
    ) -> Iterator[Annotated[T]]:
        """Annotate block by block, as results are taken, so that the memory is that of a block."""
        for one, found in shares:
            for block in found:
                yield self._result(one, [block], is_end=False)
            yield self._result(one, [], one.is_end)

    def _result(
        self, one: ScannedPiece | Given, found: list[Sentences], is_end: bool
    ) -> Annotated[T]:
        return Annotated(one.source, self._finish(found), sum(map(n_words_of, found)), is_end)

    def _annotate(self, group: list[ScannedPiece | Given]) -> Iterator[Sentences]:
        """Yield the annotated sentences of all texts together, and of all that were given."""
        for is_text, parts in groupby(group, key=lambda one: isinstance(one, ScannedPiece)):
            if is_text:
                scans = [(p.scanned, p.cursor) for p in parts if isinstance(p, ScannedPiece)]
                yield from map(self._work, self.joined.write(scans, MAX_BATCH_WORDS))
            else:
                given = [s for p in parts if isinstance(p, Given) for s in p.sentences]
                yield from (apply_to(self._work, batch) for batch in batches_of(given))


def _shares(
    group: list[ScannedPiece | Given], done: Iterator[Sentences]
) -> Iterator[Iterator[Sentences]]:
    """Yield the sentences of each part of a group; all of them are to be taken in order."""
    block: Sentences = []
    at = 0

    def share(left: int) -> Iterator[Sentences]:
        nonlocal block, at
        while left:
            if at == len(block):
                block, at = next(done), 0
            n = min(left, len(block) - at)
            found = block.part(at, at + n) if isinstance(block, Block) else block[at : at + n]
            at, left = at + n, left - n
            yield found

    for part in group:
        yield share(part.n_sentences)


def _groups(
    sources: Iterable[Source], segmenter: Segmenter | None
) -> Iterator[list[Piece | Given]]:
    """Group pieces, so that small texts are annotated together."""
    group: list[Piece | Given] = []
    size = 0
    try:
        for piece in _pieces(sources, segmenter):
            group.append(piece)
            size += piece.n_own if isinstance(piece, Piece) else WORD * n_words_of(piece.sentences)
            if size >= PIECE // 2 or len(group) >= MOST_PIECES:
                yield group
                group, size = [], 0
    except Exception:
        if group:
            yield group
        raise
    if group:
        yield group


def _pieces(sources: Iterable[Source], segmenter: Segmenter | None) -> Iterator[Piece | Given]:
    for source in sources:
        if source.chunks is None:
            yield from _given(source, source.sentences)
        elif (own := require_segmenter(segmenter)).has_boundaries:
            splitting: Splitting = "lines" if source.by_lines else "learned"
            blocks = own.stream(
                source.chunks, sentences=splitting, name=source.name, language=source.language
            )
            yield from _given(source, chain.from_iterable(blocks))
        else:
            yield from cut(source)


def _given(source: Source, sentences: Iterable[Any]) -> Iterator[Given]:
    for batch in batches_of(sentences):
        yield Given(source, batch, is_end=False)
    yield Given(source, [], is_end=True)
