"""Words that people have split themselves: a sentence a line, a word a line, or lists of them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import dodona
from dodona.cli.inputs import TOKENS, InputSource, SentenceReader
from dodona.explorer.typed import read_typed
from fuzz import samples
from fuzz.mutation import BLIND, change_lines, replace_word
from fuzz.parses import check_parses
from fuzz.target import Target

PARSERS = ["arc-eager", "arc-standard", "arc-hybrid", "swap", "nonmonotonic", "arc-eager-beam"]


def run(data: bytes) -> object:
    """Read the words in one way or the other, and parse them."""
    number = crc32(data)
    if number % 2:
        file: Any = io.BytesIO(data)
        sentences = list(_sentences(SentenceReader(TOKENS).read([InputSource(file)])))
    else:
        sentences = read_typed(data.decode(errors="replace"))
    parser = samples.parser(PARSERS[number // 2 % len(PARSERS)])
    return min(check_parses(sentences, list(parser.pipe(sentences))), 12), min(len(sentences), 4)


def _sentences(found: Iterator[Any]) -> Iterator[dodona.Sentence]:
    for sentence in found:
        assert isinstance(sentence, dodona.Sentence)
        yield sentence


TARGET = Target(
    run=run,
    refuses=(ValueError,),
    mutators=[*BLIND, *[change_lines] * 2, *[replace_word(b" \t\n")] * 3],
    longest=200,
)
