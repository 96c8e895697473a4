"""Sentences from what a request holds, in slices that a thread works on one by one.

What is read comes in pieces, be it from memory or while it arrives, and a sentence must end in
time: one that does not would be kept until it does.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import IO, cast

from dodona.segmentation.segmenter import Segmenter
from dodona.server.errors import Refused, bad, explain
from dodona.server.models import Model
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

SLICE_WORDS = 512  # parsed in some milliseconds: nobody waits long for their turn
MOST_WORDS = 20_000  # in a sentence: it is parsed in one go, and nobody speaks that long
PIECE = 1 << 14  # bytes of text that are segmented in one go
LONGEST_TEXT = 1 << 18  # bytes of a sentence in plain text
LONGEST_CONLLU = 1 << 22  # bytes of one in CoNLL-U

# what a sentence takes beside its text: as an object, as JSON, in the answer
SENTENCE_BYTES, WORD_BYTES = 300, 120


def slices(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """The sentences in lists of some hundred words.

    >>> oak = Sentence.from_columns(["oak"] * 300)
    >>> [len(part) for part in slices([oak] * 5)]
    [2, 2, 1]
    """
    found: list[Sentence] = []
    n_words = 0
    for sentence in sentences:
        if len(sentence) > MOST_WORDS:
            raise too_long(f"{len(sentence):,} words")
        found.append(sentence)
        n_words += len(sentence)
        if n_words >= SLICE_WORDS:
            yield found
            found, n_words = [], 0
    if found:
        yield found


def too_long(size: str) -> Refused:
    """A sentence of such a size."""
    return bad(f"a sentence of {size}; expected up to {MOST_WORDS:,} words")


def size_of(sentences: Iterable[Sentence]) -> int:
    """About as many bytes as it takes to keep them, beside what was sent."""
    return sum(SENTENCE_BYTES + WORD_BYTES * len(sentence) for sentence in sentences)


def read_conllu(pieces: Iterable[bytes]) -> Iterator[Sentence]:
    """The sentences of CoNLL-U; heads and labels in it are of no interest.

    >>> list(read_conllu([b"1\\tOak\\n"]))
    Traceback (most recent call last):
    dodona.server.errors.Refused: line 1: expected 10 tab-separated columns, found 2
    """
    begun = _Begun(pieces, LONGEST_CONLLU)
    file = cast("IO[bytes]", _File(begun.pieces()))
    try:
        yield from begun.ended(read(file, trees="ignored", name="data"))
    except TreebankError as error:
        raise bad(explain(error)) from error


def read_text(
    model: Model, pieces: Iterable[bytes], *, by_lines: bool = False
) -> Iterator[Sentence]:
    """The sentences that a model's segmenter finds in a text; with `by_lines`, one in each."""
    segmenter = find_segmenter(model)
    begun = _Begun(pieces, LONGEST_TEXT)
    text = decode(begun.pieces())
    found = segmenter.stream(text, sentences="lines" if by_lines else "learned")
    return begun.ended(chain.from_iterable(found))


def find_segmenter(model: Model) -> Segmenter:
    """The segmenter of a model, which raw text cannot do without."""
    if model.parser.segmenter is None:
        raise bad(
            f"the model {model.name!r} cannot read raw text: it has no tokenizer; "
            "send CoNLL-U, with input=conllu"
        )
    return model.parser.segmenter


def cut(data: bytes) -> Iterator[bytes]:
    """What is all there, in pieces.

    >>> [len(piece) for piece in cut(b"oak " * 5000)]
    [16384, 3616]
    """
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


def decode(pieces: Iterable[bytes]) -> Iterator[str]:
    """The text of pieces, which may end inside a character.

    >>> "".join(decode([b"caf\\xc3", b"\\xa9"]))
    'café'
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    n_bytes = 0
    try:
        for piece in pieces:
            yield decoder.decode(piece)
            n_bytes += len(piece)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise bad(f"not in UTF-8: {error.reason} near byte {n_bytes + error.start}") from error


class _Begun:
    """Counts what was read since the last sentence came out."""

    def __init__(self, pieces: Iterable[bytes], longest: int) -> None:
        self._pieces, self._longest = pieces, longest
        self._n_bytes = 0

    def pieces(self) -> Iterator[bytes]:
        """The pieces, unless a sentence does not end; blank ones are of none."""
        for piece in self._pieces:
            self._n_bytes += 0 if piece.isspace() else len(piece)
            if self._n_bytes > self._longest + len(piece):
                raise too_long(f"more than {self._longest:,} bytes")
            yield piece

    def ended(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences that are made of them."""
        for sentence in sentences:
            self._n_bytes = 0
            yield sentence


class _File:
    """As much of a file as the reader of CoNLL-U wants to see.

    >>> file = _File(iter([b"Ask", b"", b" oaks"]))
    >>> file.read(100), file.read(100), file.read(100)
    (b'Ask', b' oaks', b'')
    """

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def read(self, _: int) -> bytes:
        """What arrives next; nothing at the end."""
        return next(filter(None, self._chunks), b"")
