"""The answer of /api/parse: the sentences one by one, then all of them in CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dodona.explorer.state_drawing import draw_graph
from dodona.server.answers.scheduling import Step, encode
from dodona.server.limits import Limits
from dodona.server.memory_budget import RequestBudget
from dodona.server.requests.parse_request import ParseRequest
from dodona.server.requests.sentences import size_of, slices
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.sentence import Sentence


def write_parse(asked: ParseRequest, allowed: RequestBudget) -> Iterator[Step]:
    """Yield the answer in steps."""
    batches = []  # everything is read first, so that errors in the input refuse the request
    for batch in slices(asked.sentences()):
        allowed.count_words(sum(map(len, batch)))
        allowed.hold(size_of(batch))
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
            piece = comma + b",".join(
                encode(describe(sentence, asked, allowed.limits)) for sentence in done
            )
            comma = b","
        yield piece, sum(map(len, done))
    if asked.output != "conllu":
        yield b"]", 0
    if asked.output != "sentences":
        yield b',"conllu":' + encode("".join(kept)), 0
    yield b"}\n", 0


def describe(sentence: Sentence, asked: ParseRequest, limits: Limits) -> dict[str, Any]:
    """Return a sentence as data; drawings of sentences beyond the limits are None."""
    found = sentence.to_dict(as_text=True)
    is_short = len(sentence) <= limits.explore_words
    if asked.svg:
        found["svg"] = sentence.to_svg(width=asked.width, standalone=False) if is_short else None
    if asked.graph:
        arcs = enhanced_graph(sentence) if is_short else []
        can_draw = 0 < len(arcs) <= limits.explore_arcs
        found["graph_svg"] = draw_graph(sentence, arcs, asked.width) if can_draw else None
    return found
