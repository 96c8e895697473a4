"""Drawings of an explorer's state: arcs of the parse and of the gold tree in one picture.

Each arc has a kind, for which pages have a colour:

  built   built and correct (or there is no gold tree)
  wrong   built, but not in the gold tree
  gold    in the gold tree, not built, and still reachable
  lost    in the gold tree, and unreachable since some action
  never   in the gold tree, but the system cannot build it, or not together with the others
  still   in drawings of the best reachable tree: not built yet, and not in the gold tree

Pictures for slides are self-contained: a frame shows the action that led to it, the stack, the
buffer and the arcs. CSS inside the picture animates a path; readers who prefer reduced motion see
the last frame only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dodona.drawing.measurements import is_right_to_left
from dodona.drawing.svg import STYLE, Arc, draw, safe
from dodona.explorer.reachable import LabelledArc, counts_labels, find_missing

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.explorer.explore import Choice, Explorer, StateView
    from dodona.explorer.reachable import Reachable
    from dodona.treebank.sentence import Sentence

SECONDS = 1.5  # per frame
MAX_FRAMES = 120
MIN_WIDTH = 320.0  # pixels, for the header
MARGIN, LINE, HEADER = 12, 22, 78  # pixels: border, line of text, space above the arcs
LETTER_WIDTH = 7.2  # pixels in the header, on average

_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')
_DARK = re.compile(
    r"@media \(prefers-color-scheme:dark\)\{.*?\}\}\n", re.DOTALL
)  # slides are light

FRAME_STYLE = """\
svg.dodona .head{font-size:15px;fill:currentColor;text-anchor:start}
svg.dodona .side{font-size:14px;fill:var(--tag);text-anchor:start}
svg.dodona .bold{font-weight:bold}
svg.dodona .gold{--arc:#8a6a14}svg.dodona .gold .line{stroke-dasharray:5 4}
svg.dodona .wrong{--arc:#b3261e}svg.dodona .wrong .line{stroke-width:2.4}
svg.dodona .lost{--arc:#b3261e}svg.dodona .lost .line{stroke-dasharray:1 5;stroke-width:1.8}
svg.dodona .never{--arc:#78716c}svg.dodona .never .line{stroke-dasharray:2 2 8 4}
svg.dodona .lost .label,svg.dodona .never .label{text-decoration:line-through}
svg.dodona .arc.built{--arc:#1f5fa8}
"""


def draw_state(explorer: Explorer, view: StateView, width: float | None = None) -> str:
    """Draw the arcs built so far, and the reachable and lost arcs of the gold tree, as SVG."""
    gold = frozenset() if explorer.gold is None else explorer.gold.arcs
    lost = frozenset() if view.reach is None else view.reach.lost
    to_come = find_missing(view.arcs, gold, with_labels=counts_labels(explorer.system)) - lost
    return _draw(
        explorer.sentence,
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
    return _draw(explorer.sentence, kept, width)


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
    return _draw(sentence, drawn, width)


def _draw(sentence: Sentence, arcs: Iterable[Arc], width: float | None) -> str:
    tags = sentence.upos if set(sentence.upos) != {"_"} else None
    ordered = sorted(arcs, key=lambda arc: (arc.dependent, arc.head, arc.kind))
    return draw(sentence.forms, ordered, tags=tags, width=width, standalone=False)


def draw_animation(explorer: Explorer, path: Sequence[Action], width: float | None = None) -> str:
    """Draw every state of a path as an animation.

    >>> from dodona.explorer.explore import Explorer, read_path
    >>> from dodona.explorer.typed import read_typed
    >>> [sentence] = read_typed("Ask 0 root\\nthe 3 det\\noak 1 obj")
    >>> path = read_path("RIGHT-ARC:root SHIFT")
    >>> animation = draw_animation(Explorer(sentence, "arc-eager"), path)
    >>> animation.count('class="frame"'), "@keyframes" in animation
    (3, True)
    """
    if len(path) >= MAX_FRAMES:
        raise ValueError(
            f"an animation of {len(path) + 1} states is too long; the limit is {MAX_FRAMES}"
        )
    _, taken = explorer.follow(path)
    state = explorer.start()
    frames = [_frame(explorer, explorer.view(state), [], width)]
    for number, action in enumerate(path, start=1):
        state = explorer.step(state, action)
        frames.append(_frame(explorer, explorer.view(state), taken[:number], width))
    return _combine(frames)


def draw_slide(explorer: Explorer, path: Sequence[Action], width: float | None = None) -> str:
    """Draw the state at the end of a path."""
    state, taken = explorer.follow(path)
    return _combine([_frame(explorer, explorer.view(state), taken, width)])


def _frame(
    explorer: Explorer, view: StateView, taken: Sequence[Choice], width: float | None
) -> tuple[str, float, float]:
    """Return the drawing of a frame, its width and its height."""
    arcs = draw_state(explorer, view, width)
    size = _SIZE.search(arcs)
    assert size is not None
    wide, high = float(size[1]), float(size[2])
    title = "start"
    if taken:
        about = "≈" * taken[-1].is_estimate
        cost = "" if taken[-1].cost is None else f", cost {about}{taken[-1].cost}"
        title = f"{len(taken)}. {taken[-1].action}{cost}"
    lines = [
        ("head bold", title),
        ("side", f"stack: {_words(explorer, view.stack)}"),
        ("side", f"buffer: {_words(explorer, view.buffer)}"),
    ]
    n_letters = int((max(wide, MIN_WIDTH) - 2 * MARGIN) / LETTER_WIDTH)
    header = "".join(
        f'<text class="{kind}" x="{MARGIN}" y="{MARGIN + 8 + i * LINE}" direction="ltr">'
        f"{safe(text if len(text) <= n_letters else text[: n_letters - 1] + '…')}</text>"
        for i, (kind, text) in enumerate(lines)
    )
    drawn = arcs.replace("<svg ", f'<svg y="{HEADER}" ', 1).replace(' tabindex="0"', "")
    return header + drawn, wide, high + HEADER


def _words(explorer: Explorer, nodes: Sequence[int]) -> str:
    """Join words; bidirectional isolates keep right-to-left words in order."""
    forms = explorer.sentence.forms
    words = ["ROOT" if not node else forms[node - 1] for node in nodes]
    if is_right_to_left(forms):
        words = [f"\N{FIRST STRONG ISOLATE}{word}\N{POP DIRECTIONAL ISOLATE}" for word in words]
    return "  ".join(words) or "empty"


def _combine(frames: Sequence[tuple[str, float, float]]) -> str:
    """Combine frames into one picture, as large as the largest frame."""
    wide = max(MIN_WIDTH, *(width for _, width, _ in frames))
    high = max(height for _, _, height in frames)
    size = f'width="{wide:g}" height="{high:g}" viewBox="0 0 {wide:g} {high:g}"'
    keyframes = _keyframes(len(frames)) if len(frames) > 1 else ""
    parts = [
        f'<g class="frame" id="frame-{number}">{drawn}</g>'
        for number, (drawn, _, _) in enumerate(frames)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="dodona" {size} role="img">',
            f"<style>{_DARK.sub('', STYLE)}{FRAME_STYLE}{keyframes}</style>",
            f'<rect width="{wide:g}" height="{high:g}" fill="#fff"/>',
            *parts,
            "</svg>",
        ]
    )


def _keyframes(n_frames: int) -> str:
    """Return the style that shows one frame at a time, the last one twice as long."""
    share = 100 / (n_frames + 1)
    seconds = SECONDS * (n_frames + 1)
    rules = ["svg.dodona .frame{visibility:hidden}"]
    for number in range(n_frames):
        start = number * share
        end = 100.0 if number == n_frames - 1 else start + share
        before = "" if number == 0 else f"0%{{visibility:hidden}}{start:.3f}%"
        after = "" if end == 100 else f"{end:.3f}%{{visibility:hidden}}"
        rules.append(f"@keyframes f{number}{{{before or '0%'}{{visibility:visible}}{after}}}")
        rules.append(f"#frame-{number}{{animation:f{number} {seconds:g}s step-end infinite}}")
    rules.append(
        "@media (prefers-reduced-motion:reduce){svg.dodona .frame{animation:none}"
        f"#frame-{n_frames - 1}{{visibility:visible}}}}"
    )
    return "\n".join(rules) + "\n"
