"""Sentences of a request, in slices that worker threads parse one by one.

The input comes in pieces, from memory or while it arrives. The length of a sentence is limited,
since an incomplete sentence must be kept in memory.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Literal, cast

from dodona.parsing.given_tags import require_tags
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
MAX_SPACES = 10 * MAX_WORDS  # in a sentence

_NO_BREAK_SPACE = "\xa0"  # stands for a space inside a word


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


def read_conllu(
    pieces: Iterable[bytes], trees: Literal["ignored", "optional"] = "ignored"
) -> Iterator[Sentence]:
    """Read the sentences of CoNLL-U; heads and labels are ignored, unless trees are optional.

    >>> list(read_conllu([b"1\\tOak\\n"]))
    Traceback (most recent call last):
    dodona.server.errors.Refused: line 1: expected 10 tab-separated columns, found 2
    """
    length = _LengthLimit(pieces, LONGEST_CONLLU)
    file = cast("IO[bytes]", _File(length.pieces()))
    try:
        yield from length.completed(read(file, trees=trees, name="data"))
    except TreebankError as error:
        raise bad(explain(error)) from error


def read_text(
    model: Model, pieces: Iterable[bytes], *, by_lines: bool = False
) -> Iterator[Sentence]:
    """Segment a text with a model's segmenter; with `by_lines`, one sentence per line."""
    if model.parser.segmenter is None:
        raise bad(
            f"the model {model.name!r} cannot read raw text: it has no tokenizer; "
            "send CoNLL-U, with input=conllu"
        )
    length = _LengthLimit(pieces, LONGEST_TEXT)
    text = decode(length.pieces())
    found = model.parser.segmenter.stream(text, sentences="lines" if by_lines else "learned")
    return length.completed(chain.from_iterable(found))


def require_tagged(model: Model, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences; refuse those without tags if the model was trained on gold tags."""
    for sentence in sentences:
        if model.parser.needs_tags:
            try:
                require_tags([sentence])
            except TreebankError as error:
                raise bad(explain(error)) from error
        yield sentence


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
        return next(filter(None, self._chunks), b"")


def read_horizontal(data: bytes) -> Iterator[Sentence]:
    """Read a sentence per line, words separated by spaces; a blank line begins a paragraph.

    >>> data = "Oaks whisper\\n10\\xa0000 answers".encode()
    >>> [sentence.forms for sentence in read_horizontal(data)]
    [['Oaks', 'whisper'], ['10 000', 'answers']]
    """
    return _number(map(_split, _lines(data)))


def read_vertical(data: bytes) -> Iterator[Sentence]:
    """Read a word per line, up to its first tab; a blank line ends a sentence.

    >>> [sentence.forms for sentence in read_vertical(b"Oaks\\nwhisper\\n\\nAsk\\n")]
    [['Oaks', 'whisper'], ['Ask']]
    """
    return _number(_paragraphs(_lines(data)))


def read_tokens(sentences: object) -> Iterator[Sentence]:
    """Read lists of words, as in JSON.

    >>> [sentence.forms for sentence in read_tokens([["Oaks", "whisper"]])]
    [['Oaks', 'whisper']]
    """
    for words in sentences if isinstance(sentences, list) else [None]:
        are_words = isinstance(words, list) and all(isinstance(w, str) and w.strip() for w in words)
        if not words or not are_words:
            raise bad('tokens must be lists of non-empty words: [["Oaks", "whisper"]]')
        if len(words) > MAX_WORDS:
            raise too_long(f"{len(words):,} words")
        yield _sentence(words)


def _lines(data: bytes) -> Iterator[str]:
    """Yield lines as files have them; `splitlines` also splits at characters within words."""
    for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"):
        yield line.removesuffix("\n")


def _split(line: str) -> list[str]:
    """Split a line into words; the number of spaces is checked first to save memory."""
    words = line.replace("\t", " ")
    if words.count(" ") > MAX_SPACES:
        raise too_long(f"more than {MAX_WORDS:,} words")
    return words.split(" ")


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    words: list[str] = []
    for line in lines:
        word = line.lstrip("\t").partition("\t")[0].strip(" ")
        if word:
            words.append(word)
            if len(words) > MAX_WORDS:
                raise too_long(f"more than {MAX_WORDS:,} words")
        else:
            yield words
            words = []
    yield words


def _number(found: Iterable[Sequence[str]]) -> Iterator[Sentence]:
    """Yield sentences with UDPipe's comments."""
    number, comments = 0, ["# newdoc", "# newpar"]
    for words in found:
        forms = [word.replace(_NO_BREAK_SPACE, " ").strip() for word in words]
        forms = [form for form in forms if form]
        if not forms:
            comments = comments or ["# newpar"]
            continue
        number += 1
        yield _sentence(forms, [*comments, f"# sent_id = {number}"])
        comments = []


def _sentence(forms: Sequence[str], comments: Sequence[str] = ()) -> Sentence:
    try:
        return Sentence.from_columns(forms, comments=comments)
    except ValueError as error:
        raise bad(str(error)) from error
