"""Writer of CoNLL-U and CoNLL-X, and conversion between the two."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import IO, Literal, TypeAlias

from dodona.treebank.block import Block
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.conllu.files import Source, open_output
from dodona.treebank.sentence import Sentence

ConllFormat: TypeAlias = Literal["conllu", "conllx"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK_LINE = (b"\n\n", b"\n\r\n")


class Writer:
    """A writer of sentences to a path (.gz by name), "-" for stdout, or a binary file.

    A path is created or changed only when the `with` block ends without an error. With `format`,
    sentences of the other format are converted; bad ones are always written unchanged. Between
    sentences of several files, a missing blank line is added and a byte order mark is dropped.

    >>> import io
    >>> memory = io.BytesIO()
    >>> with Writer(memory) as writer:
    ...     writer.write(Sentence.from_columns(["Speak"], heads=[0], deprels=["root"]))
    >>> memory.getvalue()
    b'1\\tSpeak\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n'
    """

    def __init__(self, target: Source, *, format: ConllFormat | None = None) -> None:
        if format not in (None, "conllu", "conllx"):
            raise ValueError(f"format is conllu or conllx; found {format!r}")
        self._format = format
        self._output: AbstractContextManager[IO[bytes]] = open_output(target)
        self._file: IO[bytes] | None = None
        self._is_first = True
        self._missing = b""  # line ends that the previous sentence lacks

    def __enter__(self) -> Writer:
        self._file = self._output.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file = None
        self._output.__exit__(kind, error, traceback)

    def write(self, sentence: Sentence | BadSentence) -> None:
        """Write one sentence."""
        if self._file is None:
            raise ValueError("the writer is not open; use it in a with statement")
        if self._format is not None and isinstance(sentence, Sentence):
            sentence = to_conllu(sentence) if self._format == "conllu" else to_conllx(sentence)
        raw = bytes(sentence)
        if not self._is_first:
            raw = self._missing + raw.removeprefix(_BYTE_ORDER_MARK)
        self._is_first = False
        if raw.endswith(_BLANK_LINE):
            self._missing = b""
        else:
            self._missing = b"\n" if raw.endswith(b"\n") else b"\n\n"
        self._file.write(raw)

    def write_block(self, block: Block) -> None:
        """Write the sentences of a block, which come from a segmenter."""
        if self._format == "conllx" or self._file is None:
            for sentence in block:
                self.write(sentence)
            return
        self._file.write(self._missing)
        self._file.write(block)
        self._missing, self._is_first = b"", self._is_first and not len(block)


def to_conllx(sentence: Sentence) -> Sentence:
    """Return the sentence in CoNLL-X; a conversion keeps only words, without DEPS and MISC.

    >>> s = Sentence.from_columns(["Oaks", "speak"], misc=["_", "SpaceAfter=No"])
    >>> to_conllx(s).misc
    ['_', '_']
    """
    return sentence if sentence.format == "conllx" else _words_only(sentence, "conllx")


def to_conllu(sentence: Sentence) -> Sentence:
    """Return the sentence in CoNLL-U; a conversion keeps only words, without PHEAD and PDEPREL.

    >>> s = Sentence.from_columns(["Speak"], heads=[0], format="conllx")
    >>> to_conllu(s).format
    'conllu'
    """
    return sentence if sentence.format == "conllu" else _words_only(sentence, "conllu")


def _words_only(sentence: Sentence, format: ConllFormat) -> Sentence:
    kept = ("lemmas", "upos", "xpos", "feats", "heads", "deprels")
    columns = {name: getattr(sentence, name) for name in kept}
    return Sentence.from_columns(sentence.forms, format=format, **columns)
