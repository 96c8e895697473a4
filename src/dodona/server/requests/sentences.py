"""From what a request holds to sentences with trees: steps that a thread takes one by one."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import chain

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


def from_conllu(data: bytes) -> Iterator[Sentence]:
    """The sentences of CoNLL-U; heads and labels in it are of no interest.

    >>> list(from_conllu(b"1\\tOak\\n"))
    Traceback (most recent call last):
    dodona.server.errors.Refused: line 1: expected 10 tab-separated columns, found 2
    """
    if not data.strip():
        return
    try:
        yield from read(io.BytesIO(data), trees="ignored", name="data")
    except TreebankError as error:
        raise bad(explain(error)) from error


def from_text(model: Model, text: str, *, lines: bool = False) -> Iterator[Sentence]:
    """The sentences that the model's segmenter finds in a text; with `lines`, one in each."""
    if model.parser.segmenter is None:
        raise bad(
            f"the model {model.name!r} cannot read raw text (it has no tokenizer); "
            "send words or CoNLL-U"
        )
    pieces = (text[start : start + PIECE] for start in range(0, len(text), PIECE))
    if lines:
        return chain.from_iterable(model.parser.segmenter.stream(pieces, sentences="lines"))
    return chain.from_iterable(model.parser.segmenter.stream(pieces))


def annotate(model: Model, sentences: list[Sentence], *, tag: bool, parse: bool) -> list[Sentence]:
    """The sentences with new tags, new trees, or both."""
    if parse:
        return list(model.parser.pipe(sentences, retag=tag, keep_tags=not tag))
    tagger = model.parser.tagger if tag else None
    return sentences if tagger is None else tagger.tag_batch(sentences)
