"""Sentences from what a request holds, in slices that a thread works on one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import IO

from dodona.segmentation.segmenter import Segmenter
from dodona.server.errors import bad, explain
from dodona.server.models import Model
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

SLICE_WORDS = 512  # parsed in some milliseconds: nobody waits long for their turn
MOST_WORDS = 20_000  # in a sentence: it is parsed in one go, and nobody speaks that long
PIECE = 1 << 14  # characters of text that are segmented in one go


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
            raise bad(f"a sentence of {len(sentence):,} words; expected up to {MOST_WORDS:,}")
        found.append(sentence)
        n_words += len(sentence)
        if n_words >= SLICE_WORDS:
            yield found
            found, n_words = [], 0
    if found:
        yield found


def read_conllu(file: IO[bytes]) -> Iterator[Sentence]:
    """The sentences of CoNLL-U; heads and labels in it are of no interest.

    >>> import io
    >>> list(read_conllu(io.BytesIO(b"1\\tOak\\n")))
    Traceback (most recent call last):
    dodona.server.errors.Refused: line 1: expected 10 tab-separated columns, found 2
    """
    try:
        yield from read(file, trees="ignored", name="data")
    except TreebankError as error:
        raise bad(explain(error)) from error


def read_text(model: Model, pieces: Iterable[str], *, by_lines: bool = False) -> Iterator[Sentence]:
    """The sentences that a model's segmenter finds in a text; with `by_lines`, one in each."""
    segmenter = find_segmenter(model)
    return chain.from_iterable(
        segmenter.stream(pieces, sentences="lines" if by_lines else "learned")
    )


def find_segmenter(model: Model) -> Segmenter:
    """The segmenter of a model, which raw text cannot do without."""
    if model.parser.segmenter is None:
        raise bad(
            f"the model {model.name!r} cannot read raw text: it has no tokenizer; "
            "send CoNLL-U, with input=conllu"
        )
    return model.parser.segmenter


def cut(text: str) -> Iterator[str]:
    """A text in pieces.

    >>> [len(piece) for piece in cut("oak " * 5000)]
    [16384, 3616]
    """
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))
