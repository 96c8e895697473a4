"""What /api/parse answers: the sentences, piece by piece, then all of them in CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dodona.server.answers.turns import Step, encode
from dodona.server.limits import MOST_DRAWN
from dodona.server.requests.parse import ParseRequest
from dodona.server.requests.sentences import slices
from dodona.treebank.sentence import Sentence


def write_parse(asked: ParseRequest) -> Iterator[Step]:
    """The answer in steps."""
    batches = []  # all is read first: a mistake is told, not streamed
    for batch in slices(asked.sentences()):
        batches.append(batch)
        yield b"", 0
    yield b'{"model":' + encode(asked.model.name), 0
    if asked.output != "conllu":
        yield b',"sentences":[', 0
    kept: list[str] = []
    comma = b""
    for batch in batches:
        done = list(asked.model.parser.pipe(batch))
        if asked.output != "sentences":
            kept += map(Sentence.to_conllu, done)
        piece = b""
        if asked.output != "conllu":
            piece = comma + b",".join(encode(describe(sentence, asked)) for sentence in done)
            comma = b","
        yield piece, sum(map(len, done))
    if asked.output != "conllu":
        yield b"]", 0
    if asked.output != "sentences":
        yield b',"conllu":' + encode("".join(kept)), 0
    yield b"}\n", 0


def describe(sentence: Sentence, asked: ParseRequest) -> dict[str, Any]:
    """A sentence as it stands in the answer."""
    found = sentence.to_dict()
    if asked.svg:
        is_short = len(sentence) <= MOST_DRAWN
        found["svg"] = sentence.to_svg(width=asked.width, standalone=False) if is_short else None
    return found
