"""Dependency trees as text for terminals: one line per word, arcs at the left.

        ╭─► The         det
      ╭─┴─► oracle      nsubj
    ●─┼───► spoke       root
      │ ╭─► to          case
      ├─┴─► travellers  obl
      ╰───► .           punct

A head has one vertical line, its *trunk*, with an arrow to each dependent; the trunk starts (┬ ┴ ┼)
at the arrow that leads to the head itself. Trunks stand in columns called lanes, further from the
words the higher the head is in the tree, so the lines of a projective tree never meet; a crossing
arc passes behind the trunk that it crosses (─│─). Trees that need more than 500 lanes are refused.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias
from unicodedata import category

from rich.cells import cell_len

from dodona.errors import DodonaError

Paint: TypeAlias = Callable[[str, str], str]  # maps a text and its ANSI codes to the text shown

# Keys: whether the trunk continues upwards, and downwards.
START = {(True, True): "┼", (True, False): "┴", (False, True): "┬"}
BRANCH = {(True, True): "├", (True, False): "╰", (False, True): "╭"}

ROOT_COLOUR = "1;35"
TRUNK_COLOURS = ("36", "33", "32", "34", "31", "95", "96", "93", "92", "94", "91")
TAG_COLOUR = "2"
SHORTEST_FORM = 6
MAX_LANES = 500


class TooWideError(DodonaError, ValueError):
    """A tree too deep to draw as text."""


class Trunk(NamedTuple):
    """The vertical line of a head in a lane, from row `first` to `last`; lane 1 is innermost."""

    head: int
    lane: int
    first: int
    last: int


def draw(
    forms: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    upos: Sequence[str] | None = None,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """Draw a tree as lines of text.

    Where lines would be wider than `width` columns, first the gaps between lanes are dropped, then
    long words are shortened; arcs and labels are always complete.

    >>> print(draw(["Ask", "the", "oak", "!"], [0, 3, 1, 1], ["root", "det", "obj", "punct"]))
    ●─┬───► Ask  root
      │ ╭─► the  det
      ├─┴─► oak  obj
      ╰───► !    punct
    """
    columns = [forms, deprels] if upos is None else [forms, upos, deprels]
    if any(len(column) != len(heads) for column in columns):
        lengths = ", ".join(str(len(column)) for column in columns)
        raise ValueError(f"{len(heads)} heads, but columns of {lengths} words")
    if not heads:
        return ""
    trunks = grow_trunks(heads)
    n_lanes = max((trunk.lane for trunk in trunks.values()), default=0)
    forms, *tags = [[printable(text) for text in column] for column in columns]
    gap = 1
    if width is not None:
        room = width - len("●─► ") - sum(2 + widest(column) for column in tags)
        gap = 1 if 2 * n_lanes + widest(forms) <= room else 0
        forms = [shorten(form, max(SHORTEST_FORM, room - (1 + gap) * n_lanes)) for form in forms]
    paint = with_colour if colour else lambda text, _: text
    arcs = draw_arcs(heads, trunks, n_lanes, gap, paint)
    return "\n".join(
        arc + paint_words(words, head, paint)
        for arc, words, head in zip(arcs, align([forms, *tags]), heads, strict=True)
    )


def grow_trunks(heads: Sequence[int]) -> dict[int, Trunk]:
    """Return a trunk for every head, outside those of its dependents and clear of all others."""
    rows: dict[int, list[int]] = {}
    for word, head in enumerate(heads, start=1):
        rows.setdefault(head, [head]).append(word)
    top_down = [0]
    for head in top_down:
        top_down += rows.get(head, [head])[1:]
    if len(top_down) != len(heads) + 1:  # the root does not lead to every word
        raise ValueError(f"these heads do not form a tree: {list(heads)}")
    trunks: dict[int, Trunk] = {}
    for head in reversed(top_down[1:]):
        if head not in rows:
            continue
        first, last = min(rows[head]), max(rows[head])
        lane = 1 + max((trunks[word].lane for word in rows[head] if word in trunks), default=0)
        taken = {t.lane for t in trunks.values() if t.first <= last and first <= t.last}
        while lane in taken:
            lane += 1
        if lane > MAX_LANES:
            raise TooWideError(
                f"more than {MAX_LANES} heads would stand beside each other above word {head}: "
                "too many for lines of text"
            )
        trunks[head] = Trunk(head, lane, first, last)
    return trunks


def draw_arcs(
    heads: Sequence[int], trunks: dict[int, Trunk], n_lanes: int, gap: int, paint: Paint
) -> list[str]:
    """Return the text before each word, the arrowhead included."""
    lanes: list[dict[int, Trunk]] = [{} for _ in range(len(heads) + 1)]
    for trunk in trunks.values():
        for row in range(trunk.first, trunk.last + 1):
            lanes[row][trunk.lane] = trunk
    lines = []
    for word, head in enumerate(heads, start=1):
        start = trunks[head].lane if head else n_lanes + 1
        ink = colour_of(head)
        glyphs = [("●─" if head == 0 else "  ", ink)]
        for lane in range(n_lanes, 0, -1):
            crossed = lanes[word].get(lane)
            owner = crossed.head if crossed is not None and crossed.head != word else head
            glyphs.append((cell(crossed, word, lane - start), colour_of(owner)))
            glyphs.append(("─" * gap if lane <= start else " " * gap, ink))
        runs = groupby([*glyphs, ("►", ink)], key=itemgetter(1))
        lines.append("".join(paint("".join(g for g, _ in run), code) for code, run in runs) + " ")
    return lines


def cell(trunk: Trunk | None, row: int, side: int) -> str:
    """Return a lane's glyph in a row whose arc starts in it (side 0), left (< 0) or right of it."""
    if trunk is None:
        return "─" if side < 0 else " "
    continues = (row > trunk.first, row < trunk.last)
    if side == 0:
        return BRANCH[continues]
    return START[continues] if trunk.head == row else "│"


def printable(text: str) -> str:
    """Replace control characters, which could move the cursor or change the terminal's colours."""
    return "".join("�" if category(char) == "Cc" else char for char in text)


def widest(column: Sequence[str]) -> int:
    return max(map(cell_len, column))


def shorten(text: str, n_columns: int) -> str:
    if cell_len(text) <= n_columns:
        return text
    fitting = bisect_right(range(len(text)), n_columns - 1, key=lambda n: cell_len(text[:n])) - 1
    return text[:fitting] + "…"


def align(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows of a table; every cell but the last of a row is padded to its column."""
    *padded, last = columns
    widths = [widest(column) for column in padded]
    return [
        [text + " " * (n - cell_len(text)) for text, n in zip(row, widths, strict=True)] + [end]
        for *row, end in zip(*padded, last, strict=True)
    ]


def paint_words(words: Sequence[str], head: int, paint: Paint) -> str:
    form, *tags, deprel = words
    shown = [paint(form, "1") if head == 0 else form]
    shown += [paint(tag, TAG_COLOUR) for tag in tags]
    return "  ".join([*shown, paint(deprel, colour_of(head))])


def colour_of(head: int) -> str:
    """Return the colour of a head's arcs; neighbouring heads have different ones."""
    return TRUNK_COLOURS[head % len(TRUNK_COLOURS)] if head else ROOT_COLOUR


def with_colour(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text.strip() else text
