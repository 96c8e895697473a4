"""Drawings of a sentence for the pages, within the limits."""

from __future__ import annotations

from dodona.explorer.state_drawing import draw_graph
from dodona.server.limits import Limits
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.sentence import Sentence


def draw_sentence(
    sentence: Sentence,
    width: float | None,
    limits: Limits,
    *,
    tree: bool = True,
    graph: bool = True,
) -> dict[str, str | None]:
    """Draw the tree and the enhanced graph of a sentence; None where they are beyond the limits."""
    is_short = len(sentence) <= limits.explore_words
    drawn: dict[str, str | None] = {}
    if tree:
        drawn["svg"] = sentence.to_svg(width=width, standalone=False) if is_short else None
    if graph:
        arcs = enhanced_graph(sentence) if is_short else []
        can_draw = 0 < len(arcs) <= limits.explore_arcs
        drawn["graph_svg"] = draw_graph(sentence, arcs, width) if can_draw else None
    return drawn
