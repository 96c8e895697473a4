"""What /api/parse answers: the sentences, piece by piece, then all of them in CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dodona.explorer.picture import draw_graph
from dodona.server.answers.turns import Step, encode
from dodona.server.memory import Allowance
from dodona.server.requests.parse import ParseRequest
from dodona.server.requests.sentences import size_of, slices
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.sentence import Sentence


def write_parse(asked: ParseRequest, allowed: Allowance) -> Iterator[Step]:
    """The answer in steps."""
    batches = []  # all is read first: a mistake is told, not streamed
    for batch in slices(asked.sentences()):
        allowed.count_words(sum(map(len, batch)))
        allowed.hold(size_of(batch))
        batches.append(batch)
        yield b"", 0
    yield b'{"model":' + encode(asked.model.name), 0
    if asked.output != "conllu":
        yield b',"sentences":[', 0
    kept: list[str] = []
    most = allowed.limits.explore_words
    comma = b""
    for batch in batches:
        done = list(asked.model.parser.pipe(batch))
        if asked.output != "sentences":
            kept += map(Sentence.to_conllu, done)
        piece = b""
        if asked.output != "conllu":
            piece = comma + b",".join(encode(describe(sentence, asked, most)) for sentence in done)
            comma = b","
        yield piece, sum(map(len, done))
    if asked.output != "conllu":
        yield b"]", 0
    if asked.output != "sentences":
        yield b',"conllu":' + encode("".join(kept)), 0
    yield b"}\n", 0


def describe(sentence: Sentence, asked: ParseRequest, most_drawn: int) -> dict[str, Any]:
    """A sentence as it stands in the answer, drawn if it has not too many words."""
    found = sentence.to_dict(as_text=True)
    is_short = len(sentence) <= most_drawn
    if asked.svg:
        found["svg"] = sentence.to_svg(width=asked.width, standalone=False) if is_short else None
    if asked.graph:
        arcs = enhanced_graph(sentence) if is_short else []
        found["graph_svg"] = draw_graph(sentence, arcs, asked.width) if arcs else None
    return found
