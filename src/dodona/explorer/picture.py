"""The state of an explorer as a picture: arcs of the gold tree and of the parse in one drawing.

Each arc has a kind, which a page colours:

  built   it is built, and right (or there is no gold tree to tell)
  wrong   it is built, and not in the gold tree
  gold    it is in the gold tree, not built, and still in reach
  lost    it is in the gold tree, and out of reach since some action
  never   it is in the gold tree, and the system cannot build it, or not beside the others
  still   in a drawing of the best tree in reach: not built yet, and not in the gold tree
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dodona.drawing.svg import Arc, draw
from dodona.explorer.reach import Arc as Triple
from dodona.explorer.reach import counts_labels, find_missing

if TYPE_CHECKING:
    from dodona.explorer.explore import Explorer, View
    from dodona.explorer.reach import Reach
    from dodona.treebank.sentence import Sentence


def draw_state(explorer: Explorer, view: View, width: float | None = None) -> str:
    """The arcs so far, those of the gold tree to come, and those that are lost, as SVG."""
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
    explorer: Explorer, built: Iterable[Triple], reach: Reach, width: float | None = None
) -> str:
    """The best tree in reach, what is built of it told from the rest, as SVG."""
    built = set(built)
    arcs = [
        *_kinds(explorer, built, right="built", wrong="wrong"),
        *_kinds(explorer, reach.arcs - built, right="gold", wrong="still"),
    ]
    in_reach = {(head, label or "", word) for head, label, word in reach.arcs}
    kept = [arc for arc in arcs if (arc.head, arc.label, arc.dependent) in in_reach]
    return _draw(explorer, kept, width)


def _kinds(explorer: Explorer, arcs: Iterable[Triple], *, right: str, wrong: str) -> list[Arc]:
    """The arcs, each of one kind or the other; without a gold tree they are all right."""
    rivals: dict[int, list[Triple]] = {}  # gold arcs by their dependent
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


def _is_right(arc: Triple, rivals: Sequence[Triple], with_labels: bool) -> bool:
    """Whether it is one of the gold arcs to its dependent, or there are none."""
    left = find_missing([arc], rivals, with_labels=with_labels)
    return not rivals or len(left) < len(rivals)


def draw_graph(sentence: Sentence, arcs: Iterable[Triple], width: float | None = None) -> str:
    """A tree or graph for itself, as SVG; an arc from a word to itself cannot be drawn."""
    drawn = [Arc(head, label or "", word) for head, label, word in arcs if head != word]
    return _draw_arcs(sentence, drawn, width)


def _draw(explorer: Explorer, arcs: Iterable[Arc], width: float | None) -> str:
    return _draw_arcs(explorer.sentence, arcs, width)


def _draw_arcs(sentence: Sentence, arcs: Iterable[Arc], width: float | None) -> str:
    tags = sentence.upos if set(sentence.upos) != {"_"} else None
    ordered = sorted(arcs, key=lambda arc: (arc.dependent, arc.head, arc.kind))
    return draw(sentence.forms, ordered, tags=tags, width=width, standalone=False)
