"""Which arcs a parser finds and which it loses: those that cross, those beside them, all others.

A parser that swaps differs from a projective one in more than crossing arcs. It is arc-standard
underneath, which joins a word to its head only once the word has all its own dependents; and it may
swap where nothing crosses. So gold arcs are told apart by what crosses in their sentence, and
parsed sentences by what crosses without need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dodona.evaluation.pairs import pair
from dodona.evaluation.tally import DISTANCES, Fact, exact, facts
from dodona.parsing.parser import Parser
from dodona.treebank.sentence import Sentence
from dodona_papers.reporting.summary import Summary
from dodona_papers.reporting.tables import Table

CROSSING, BESIDE, PLAIN = "crossing", "beside them", "of projective trees"
NEEDLESS = "crossed without need"
N_LABELS = 5  # shown: those that differ most

Found = dict[str, list[int]]  # [gold arcs, those found with their label] by kind of arc


def count_arcs(parser: Parser, test: list[Sentence]) -> dict[str, Any]:
    """A measure of a run: gold arcs and those found, by kind, distance and label."""
    arcs: Found = defaultdict(lambda: [0, 0])
    parsed = list(parser.pipe(test, retag=True))
    for sentence in pair(test, parsed, punctuation=False):
        words = facts(sentence, exact)
        crosses = any(word.gold_is_nonprojective for word in words)
        is_needless = not crosses and any(word.system_is_nonprojective for word in words)
        for fact in words:
            for kind in _kinds(fact, crosses, is_needless):
                arcs[kind][0] += 1
                arcs[kind][1] += fact.is_labelled
    return {"arcs": dict(arcs)}


def _kinds(fact: Fact, crosses: bool, is_needless: bool) -> list[str]:
    kind = CROSSING if fact.gold_is_nonprojective else BESIDE if crosses else PLAIN
    more = [NEEDLESS] if is_needless else []
    return [kind, *more, f"distance {fact.gold_distance}", f"label {fact.gold_label}"]


def lost_arcs(summary: Summary, treebank: str, titles: Mapping[str, str], against: str) -> Table:
    """What each variant finds of each kind of arc, and what that makes of its LAS.

    A column per variant of `titles`: the share that it finds, and by how many points of LAS the
    difference to `against` raises or lowers the whole.
    """
    found = {variant: _add(summary, treebank, variant) for variant in titles}
    base = found[against]
    n_all = sum(base[kind][0] for kind in (CROSSING, BESIDE, PLAIN) if kind in base)

    def row(kind: str) -> list[str]:
        cells = [kind, f"{100 * base.get(kind, [0, 0])[0] / n_all:.1f}%"]
        for variant, arcs in found.items():
            n, right = arcs.get(kind, [0, 0])
            share = f"{100 * right / n:.2f}" if n else "-"
            gain = 100 * (right - base.get(kind, [0, 0])[1]) / n_all
            cells.append(share if variant == against else f"{share} ({gain + 0.0:+.2f})")
        return cells

    rows = [row(kind) for kind in (CROSSING, BESIDE, PLAIN)]
    rows += [["By distance"], *(row(f"distance {name}") for name in DISTANCES)]
    rows += [["Labels that differ most"], *map(row, _most_different(found, against))]
    rows += [["In sentences that the parser"], _needless(found, n_all)]
    note = (
        "Share of the gold arcs found with their label; in parentheses, by how many points of LAS "
        f"that differs from {against}. Sums over seeds."
    )
    title = f"{treebank}: which arcs are found"
    return Table(title, ["gold arcs", "share", *titles.values()], rows, note)


def _add(summary: Summary, treebank: str, variant: str) -> Found:
    """The counts of all seeds together."""
    arcs: Found = defaultdict(lambda: [0, 0])
    for measured in summary.measures(treebank, variant):
        for kind, (n, right) in measured["arcs"].items():
            arcs[kind][0] += n
            arcs[kind][1] += right
    return dict(arcs)


def _most_different(found: Mapping[str, Found], against: str) -> list[str]:
    """The labels by which some variant differs most from `against`."""
    base = found[against]
    by_label = {
        kind: max(abs(arcs[kind][1] - base[kind][1]) for arcs in found.values())
        for kind in base
        if kind.startswith("label ")
    }
    return sorted(by_label, key=lambda kind: (-by_label[kind], kind))[:N_LABELS]


def _needless(found: Mapping[str, Found], n_all: int) -> list[str]:
    """How many arcs stand in projective sentences whose parsed trees cross, and how many hold."""
    cells: Sequence[list[int]] = [arcs.get(NEEDLESS, [0, 0]) for arcs in found.values()]
    shown = [
        f"{100 * n / n_all:.1f}% of arcs, {100 * right / n:.2f} found" if n else "none"
        for n, right in cells
    ]
    return [NEEDLESS, "", *shown]
