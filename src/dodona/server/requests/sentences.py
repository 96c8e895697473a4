"""Sentences of a request, in slices that worker threads parse one by one.

The input comes in pieces, from memory or while it arrives. The length of a sentence is limited,
since an incomplete sentence must be kept in memory.
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

SLICE_WORDS = 512  # parsed in a few milliseconds, so turns are short
MAX_WORDS = 20_000  # in a sentence, which is parsed in one turn
PIECE = 1 << 14  # bytes of text that are segmented in one step
LONGEST_TEXT = 1 << 18  # bytes of a sentence in plain text
LONGEST_CONLLU = 1 << 22  # bytes of a sentence in CoNLL-U

# memory of a sentence beside its text: as an object, as JSON, in the answer
SENTENCE_BYTES, WORD_BYTES = 300, 120


def slices(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Group sentences into lists of some hundred words.

    >>> oak = Sentence.from_columns(["oak"] * 300)
    >>> [len(part) for part in slices([oak] * 5)]
    [2, 2, 1]
    """
    found: list[Sentence] = []
    n_words = 0
    for sentence in sentences:
        if len(sentence) > MAX_WORDS:
            raise too_long(f"{len(sentence):,} words")
        found.append(sentence)
        n_words += len(sentence)
        if n_words >= SLICE_WORDS:
            yield found
            found, n_words = [], 0
    if found:
        yield found


def too_long(size: str) -> Refused:
    """Return the refusal of a sentence of that size."""
    return bad(f"a sentence has {size}; at most {MAX_WORDS:,} words are allowed")


def size_of(sentences: Iterable[Sentence]) -> int:
    """Estimate the memory of sentences in bytes, beside the request body."""
    return sum(SENTENCE_BYTES + WORD_BYTES * len(sentence) for sentence in sentences)


def read_conllu(pieces: Iterable[bytes]) -> Iterator[Sentence]:
    """Read the sentences of CoNLL-U; heads and labels are ignored.

    >>> list(read_conllu([b"1\\tOak\\n"]))
    Traceback (most recent call last):
    dodona.server.errors.Refused: line 1: expected 10 tab-separated columns, found 2
    """
    length = _LengthLimit(pieces, LONGEST_CONLLU)
    file = cast("IO[bytes]", _File(length.pieces()))
    try:
        yield from length.completed(read(file, trees="ignored", name="data"))
    except TreebankError as error:
        raise bad(explain(error)) from error


def read_text(
    model: Model, pieces: Iterable[bytes], *, by_lines: bool = False
) -> Iterator[Sentence]:
    """Segment a text with a model's segmenter; with `by_lines`, one sentence per line."""
    segmenter = find_segmenter(model)
    length = _LengthLimit(pieces, LONGEST_TEXT)
    text = decode(length.pieces())
    found = segmenter.stream(text, sentences="lines" if by_lines else "learned")
    return length.completed(chain.from_iterable(found))


def find_segmenter(model: Model) -> Segmenter:
    """Return the segmenter of a model, or refuse raw text."""
    if model.parser.segmenter is None:
        raise bad(
            f"the model {model.name!r} cannot read raw text: it has no tokenizer; "
            "send CoNLL-U, with input=conllu"
        )
    return model.parser.segmenter


def cut(data: bytes) -> Iterator[bytes]:
    """Cut data into pieces.

    >>> [len(piece) for piece in cut(b"oak " * 5000)]
    [16384, 3616]
    """
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


def decode(pieces: Iterable[bytes]) -> Iterator[str]:
    """Decode pieces, which may end inside a character.

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


class _LengthLimit:
    """Limits the number of bytes read since the last complete sentence."""

    def __init__(self, pieces: Iterable[bytes], longest: int) -> None:
        self._pieces, self._longest = pieces, longest
        self._n_bytes = 0

    def pieces(self) -> Iterator[bytes]:
        """Yield the pieces; refuse a sentence that does not end. Blank pieces do not count."""
        for piece in self._pieces:
            self._n_bytes += 0 if piece.isspace() else len(piece)
            if self._n_bytes > self._longest + len(piece):
                raise too_long(f"more than {self._longest:,} bytes")
            yield piece

    def completed(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the sentences made from the pieces."""
        for sentence in sentences:
            self._n_bytes = 0
            yield sentence


class _File:
    """The part of a file's interface that the reader of CoNLL-U needs.

    >>> file = _File(iter([b"Ask", b"", b" oaks"]))
    >>> file.read(100), file.read(100), file.read(100)
    (b'Ask', b' oaks', b'')
    """

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def read(self, _: int) -> bytes:
        """Return the next chunk; nothing at the end."""
        return next(filter(None, self._chunks), b"")
