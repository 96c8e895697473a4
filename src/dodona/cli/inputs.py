"""What sentences are read from: files of them, of lines of tokens, or of plain text."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, Literal

from dodona.cli.errors import say
from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.files import open_input
from dodona.treebank.conllu.reader import FORMATS, read
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.segmentation.segmenter import Segmenter, Splitting

TEXT, TOKENS, LINES = "text", "tokens", "lines"
INPUTS = (*FORMATS, TEXT, LINES, TOKENS)
CHUNK_SIZE = 1 << 16  # bytes

Item = Sentence | BadSentence
Trees = Literal["required", "optional", "ignored"]


def read_treebanks(
    paths: Iterable[str], format: Any, trees: Trees, skip_bad: bool
) -> Iterator[Item]:
    """The sentences of all files, one after the other."""
    for path in paths:
        bad: Any = "pass" if skip_bad else "raise"
        with read(path, format=format, trees=trees, bad=bad) as reader:
            yield from reader


def read_inputs(
    paths: Iterable[str], format: str | None, segmenter: Segmenter | None, skip_bad: bool
) -> Iterator[Item]:
    """The sentences of all files; without a format, .txt is plain text and all else CoNLL-U."""
    for path in paths:
        chosen = format or (TEXT if path.removesuffix(".gz").endswith(".txt") else "conllu")
        if chosen in FORMATS:
            yield from read_treebanks([path], chosen, "ignored", skip_bad)
        elif chosen == TOKENS:
            yield from _read_tokens(path)
        elif segmenter is None:
            raise ValueError(
                f"{path}: this model has no segmenter, so it cannot read plain text; give it "
                "--input conllu or tokens, or train one with --pipeline text"
            )
        else:
            sentences: Splitting = "lines" if chosen == LINES else "learned"
            for block in segmenter.stream(_read_text(path), sentences=sentences):
                yield from block


def _read_text(path: str) -> Iterator[str]:
    """The text of a file; a byte that is no UTF-8 becomes one character, so that none is lost."""
    file, name, is_ours = open_input(path)
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    try:
        while data := _read(file, name):
            yield decode(data)
        yield decode(b"", True)
    finally:
        if is_ours:
            file.close()


def _read(file: IO[bytes], name: str) -> bytes:
    try:
        return file.read(CHUNK_SIZE)
    except (OSError, EOFError, zlib.error) as error:
        said = f"the file is damaged or cannot be read: {error}"
        raise TreebankError(name, None, said) from error


def _read_tokens(path: str) -> Iterator[Sentence]:
    """A sentence a line, its tokens between white space; empty lines are passed over."""
    rest = ""
    for chunk in _read_text(path):
        *lines, rest = (rest + chunk).split("\n")
        yield from _split_lines(lines)
    yield from _split_lines([rest])


def _split_lines(lines: Iterable[str]) -> Iterator[Sentence]:
    for line in lines:
        tokens = line.encode(errors="replace").decode().split()
        if tokens:
            yield Sentence.from_columns(tokens, comments=[f"# text = {' '.join(tokens)}"])


class Skipped:
    """Counts what is passed on because it is no sentence."""

    def __init__(self) -> None:
        self.n_bad = 0
        self.first = ""

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items, counted."""
        for item in items:
            if isinstance(item, BadSentence):
                self.n_bad += 1
                self.first = self.first or str(item.error)
            yield item

    def say(self, done: str = "passed on") -> None:
        """Tell how many there were, if any, and what is wrong with the first."""
        if self.n_bad:
            plural = "s" if self.n_bad > 1 else ""
            say(f"{self.n_bad:,} bad sentence{plural} {done}; the first: {self.first}")
