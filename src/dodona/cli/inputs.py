"""What people parse: files of sentences, of lines of tokens, or of plain text."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from errno import ENOENT
from os import strerror
from pathlib import Path

from dodona.cli.streams import Item, read_all
from dodona.models import DEFAULT, SUFFIX, shipped
from dodona.segmentation.segmenter import Segmenter, Splitting
from dodona.storage.container import is_container
from dodona.treebank.conllu.files import open_input
from dodona.treebank.conllu.reader import FORMATS
from dodona.treebank.sentence import Sentence

TEXT, TOKENS, LINES = "text", "tokens", "lines"
INPUTS = (*FORMATS, TEXT, LINES, TOKENS)
CHUNK_SIZE = 1 << 16  # bytes


def model_and_inputs(words: list[str]) -> tuple[str, list[str]]:
    """The first word if it is a model, else the one that ships; the rest are files, or stdin.

    >>> model_and_inputs(["my.dodona", "notes.txt"]), model_and_inputs([])
    (('my.dodona', ['notes.txt']), ('en', ['-']))
    """
    if not words or words[0] == "-":
        return DEFAULT, words or ["-"]
    first = Path(words[0])
    if words[0] in shipped() or first.suffix == SUFFIX or is_container(first):
        return words[0], words[1:] or ["-"]
    if not first.exists():
        raise FileNotFoundError(ENOENT, strerror(ENOENT), words[0])
    return DEFAULT, words


def read_inputs(
    paths: Iterable[str], format: str | None, segmenter: Segmenter | None, skip_bad: bool
) -> Iterator[Item]:
    """The sentences of all files; without a format, .txt is plain text and all else CoNLL-U."""
    for path in paths:
        chosen = format or (TEXT if path.removesuffix(".gz").endswith(".txt") else "conllu")
        if chosen in FORMATS:
            yield from read_all([path], chosen, "ignored", skip_bad)
        elif chosen == TOKENS:
            yield from _lines_of_tokens(path)
        elif segmenter is None:
            raise ValueError(
                f"{path}: this model has no segmenter, so it cannot read plain text; give it "
                "--input conllu or tokens, or train one with --pipeline text"
            )
        else:
            sentences: Splitting = "lines" if chosen == LINES else "learned"
            for block in segmenter.stream(_chunks(path), sentences=sentences):
                yield from block


def _chunks(path: str) -> Iterator[str]:
    """The text of a file; a byte that is no UTF-8 becomes one character, so that none is lost."""
    file, _, is_ours = open_input(path)
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    try:
        while data := file.read(CHUNK_SIZE):
            yield decode(data)
        yield decode(b"", True)
    finally:
        if is_ours:
            file.close()


def _lines_of_tokens(path: str) -> Iterator[Sentence]:
    """A sentence a line, its tokens between white space; empty lines are passed over."""
    rest = ""
    for chunk in _chunks(path):
        *lines, rest = (rest + chunk).split("\n")
        yield from _tokenised(lines)
    yield from _tokenised([rest])


def _tokenised(lines: Iterable[str]) -> Iterator[Sentence]:
    for line in lines:
        tokens = line.encode(errors="replace").decode().split()
        if tokens:
            yield Sentence.from_columns(tokens, comments=[f"# text = {' '.join(tokens)}"])
