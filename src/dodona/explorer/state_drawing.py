"""Drawings of an explorer's state: arcs of the parse and of the gold tree in one picture.

Each arc has a kind, for which pages have a colour:

  built   built and correct (or there is no gold tree)
  wrong   built, but not in the gold tree
  gold    in the gold tree, not built, and still reachable
  lost    in the gold tree, and unreachable since some action
  never   in the gold tree, but the system cannot build it, or not together with the others
  still   in drawings of the best reachable tree: not built yet, and not in the gold tree
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dodona.drawing.svg import Arc, draw
from dodona.explorer.reachable import LabelledArc, counts_labels, find_missing

if TYPE_CHECKING:
    from dodona.explorer.explore import Explorer, StateView
    from dodona.explorer.reachable import Reachable
    from dodona.treebank.sentence import Sentence


def draw_state(explorer: Explorer, view: StateView, width: float | None = None) -> str:
    """Draw the arcs built so far, and the reachable and lost arcs of the gold tree, as SVG."""
    gold = frozenset() if explorer.gold is None else explorer.gold.arcs
    lost = frozenset() if view.reach is None else view.reach.lost
    to_come = find_missing(view.arcs, gold, with_labels=counts_labels(explorer.system)) - lost
    return _draw(
        explorer,
        [
            *_kinds(explorer, view.arcs, right="built", wrong="wrong"),
            *(Arc(head, label or "", dependent, "gold") for head, label, dependent in to_come),
            *(
                Arc(arc[0], arc[1] or "", arc[2], "never" if arc in view.never else "lost")
                for arc in lost
            ),
        ],
        width,
    )


def draw_best(
    explorer: Explorer, built: Iterable[LabelledArc], reach: Reachable, width: float | None = None
) -> str:
    """Draw the best reachable tree as SVG; the arcs already built have a kind of their own."""
    built = set(built)
    arcs = [
        *_kinds(explorer, built, right="built", wrong="wrong"),
        *_kinds(explorer, reach.arcs - built, right="gold", wrong="still"),
    ]
    in_reach = {(head, label or "", word) for head, label, word in reach.arcs}
    kept = [arc for arc in arcs if (arc.head, arc.label, arc.dependent) in in_reach]
    return _draw(explorer, kept, width)


def _kinds(explorer: Explorer, arcs: Iterable[LabelledArc], *, right: str, wrong: str) -> list[Arc]:
    """Return the arcs with kind `right` or `wrong`; without a gold tree all are right."""
    rivals: dict[int, list[LabelledArc]] = {}  # gold arcs by their dependent
    for arc in () if explorer.gold is None else explorer.gold.arcs:
        rivals.setdefault(arc[2], []).append(arc)
    with_labels = counts_labels(explorer.system)
    return [
        Arc(
            arc[0],
            arc[1] or "",
            arc[2],
            right if _is_right(arc, rivals.get(arc[2], []), with_labels) else wrong,
        )
        for arc in arcs
    ]


def _is_right(arc: LabelledArc, rivals: Sequence[LabelledArc], with_labels: bool) -> bool:
    """Return whether an arc is among the gold arcs of its dependent, or there are none."""
    left = find_missing([arc], rivals, with_labels=with_labels)
    return not rivals or len(left) < len(rivals)


def draw_graph(sentence: Sentence, arcs: Iterable[LabelledArc], width: float | None = None) -> str:
    """Draw a tree or graph as SVG, without arcs from a word to itself."""
    drawn = [Arc(head, label or "", word) for head, label, word in arcs if head != word]
    return _draw_arcs(sentence, drawn, width)


def _draw(explorer: Explorer, arcs: Iterable[Arc], width: float | None) -> str:
    return _draw_arcs(explorer.sentence, arcs, width)


def _draw_arcs(sentence: Sentence, arcs: Iterable[Arc], width: float | None) -> str:
    tags = sentence.upos if set(sentence.upos) != {"_"} else None
    ordered = sorted(arcs, key=lambda arc: (arc.dependent, arc.head, arc.kind))
    return draw(sentence.forms, ordered, tags=tags, width=width, standalone=False)
