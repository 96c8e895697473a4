"""Drawings of enhanced graphs for /api/parse, made by helper processes.

A graph of 1,000 arcs takes a second, and paths through empty nodes may have labels of megabytes;
so a process draws them, which can be killed, and whose memory is limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from dodona.errors import DodonaError
from dodona.explorer.state_drawing import draw_graph
from dodona.server.answers.responses import encode
from dodona.server.limits import Limits
from dodona.server.requests.explorer_request import count_arcs
from dodona.treebank.conllu.reader import read
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.sentence import Sentence

DRAW_GRAPHS = "draw graphs"  # the name of this work among that of helper processes
NONE = b"null"


def draw_graphs(sentences: Sequence[bytes], width: float | None, limits: Limits) -> bytes:
    """Return a line of JSON for each sentence: its drawing, or null if it is too large."""
    read_again = read(BytesIO(b"".join(sentences)), name="data")
    return b"\n".join(_draw(sentence, width, limits) for sentence in read_again)


def split_drawings(lines: bytes | None, n_sentences: int) -> list[bytes]:
    """Return the drawing of each sentence in JSON; null for all if there is no answer.

    >>> split_drawings(b'"<svg/>"\\nnull', 2), split_drawings(None, 2)
    ([b'"<svg/>"', b'null'], [b'null', b'null'])
    """
    found = [] if lines is None else lines.split(b"\n")
    return found if len(found) == n_sentences else [NONE] * n_sentences


def _draw(sentence: Sentence, width: float | None, limits: Limits) -> bytes:
    if len(sentence) > limits.explore_words or count_arcs(sentence) > limits.explore_arcs:
        return NONE
    try:
        arcs = enhanced_graph(sentence)
    except DodonaError:  # more paths through empty nodes than any annotation means
        return NONE
    if not 0 < len(arcs) <= limits.explore_arcs:
        return NONE
    return encode(draw_graph(sentence, arcs, width))
