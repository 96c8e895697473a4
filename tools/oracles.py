"""Compare every cost of the oracles with exhaustive search, as two tables of the manual.

    python tools/oracles.py           prints them
    python tools/oracles.py --write   writes them to docs/explanation/oracle.md

All gold trees and graphs of up to four words are used, and a random sample of those of five; fewer
for systems with too many states (see the table). The comparison takes some minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import dodona  # noqa: E402
from reference import graph  # noqa: E402
from reference.search import Arc  # noqa: E402
from reference.trees import Heads, all_trees, arcs_of, is_projective  # noqa: E402
from reference.twins import all_twins  # noqa: E402
from support.checked import Tally, compare  # noqa: E402

PAGE = ROOT / "docs" / "oracle.md"
LABELS = ("root", "obj")
N_RANDOM = 40  # gold trees of five words
STEP = {3: 3, 4: 211}  # of all graphs of so many words, every N-th is used
Gold = frozenset[Arc]


def labelled(heads: Heads, labels: Sequence[str], random: Random) -> Gold:
    """Return the arcs of a tree with random labels; the root arc has the first label."""
    return arcs_of(heads, [labels[0] if h == 0 else random.choice(labels) for h in heads])


def trees(n: int, *, one_root: bool, projective: bool | None) -> list[Heads]:
    """Return all trees of n words, or a sample if there are too many."""
    found = [
        heads
        for heads in all_trees(n)
        if (projective is None or is_projective(heads) == projective)
        and (not one_root or heads.count(0) == 1)
    ]
    return found if n < 5 else Random(n).sample(found, min(N_RANDOM, len(found)))


def labels_for(n: int) -> tuple[str, ...]:
    """Return two labels for short sentences, one for longer ones."""
    return LABELS if n < 4 else LABELS[:1]


def count(
    name: str, sizes: Iterable[int], *, root: str | None = None, projective: bool | None
) -> Tally:
    """Compare the costs of a tree system in all states of sentences of these sizes."""
    tally, one_root = Tally(), all_twins()[name].one_root
    for n in sizes:
        system = dodona.system(name, labels=labels_for(n), root=root)
        random = Random(n)
        golds = trees(n, one_root=one_root, projective=projective)
        compare(system, n, [labelled(heads, system.labels, random) for heads in golds], tally)
    return tally


def count_graphs(name: str, sizes: Iterable[int], *, acyclic: bool = False) -> Tally:
    """Compare the costs of a graph system in all states of sentences of these sizes."""
    tally = Tally()
    for n in sizes:
        system = dodona.system(name, labels=labels_for(n + 1), acyclic=acyclic)
        found = islice(graph.planar_graphs(n, both_ways=True), 0, None, STEP.get(n, 1))
        golds = [graph.arcs_of(links, system.labels, Random(n)) for links in found]
        compare(system, n, golds, tally)
    return tally


def exactness() -> list[str]:
    """Return the lines of the first table: gold that the system can derive."""
    lines = [
        "| system | gold | states checked | costs checked | wrong |",
        "|---|---|---:|---:|---:|",
    ]
    for name in dodona.systems():
        kind = dodona.system(name, labels=["root"])
        if kind.builds_graphs:
            tally, gold = count_graphs(name, range(1, 5)), "graphs, n ≤ 4, from 3 on some"
            lines.append(row(f"`{name}`", gold, tally))
            continue
        for root in type(kind).roots:
            some = None if not type(kind).projective_only else True
            tally = count(name, range(1, 6), root=root, projective=some)
            shown = f"`{name}`" + (f", root {root}" if len(type(kind).roots) > 1 else "")
            what = "trees" if some is None else "projective trees"
            what += " with one root" if all_twins()[name].one_root else ""
            lines.append(row(shown, f"{what}, n ≤ 4 all, n = 5 some", tally))
    return lines


def row(name: str, gold: str, tally: Tally) -> str:
    return f"| {name} | {gold} | {tally.n_states:,} | {tally.n_costs:,} | {tally.n_wrong:,} |"


def nonprojective() -> list[str]:
    """Return the lines of the second table: non-projective gold for projective systems."""
    lines = [
        "| system | costs checked | exact | too high | too low | false zeros "
        "| states without a free action |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in dodona.systems():
        kind = dodona.system(name, labels=["root"])
        if not kind.builds_graphs and type(kind).projective_only:
            found = count(name, [3, 4, 5], projective=False)
            lines.append(
                f"| `{name}` | {found.n_costs:,} | "
                f"{share(found.n_costs - found.n_wrong, found.n_costs)} | "
                f"{share(found.n_high, found.n_costs)} | {share(found.n_low, found.n_costs)} | "
                f"{share(found.n_false_zeros, found.n_costs)} | "
                f"{share(found.n_stuck, found.n_states)} |"
            )
    return lines


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%"


def between(text: str, mark: str, lines: list[str]) -> str:
    """Return the page with the lines between a pair of marks."""
    start, end = f"<!-- {mark} -->\n", "<!-- end -->"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    return before + start + "\n" + "\n".join(lines) + "\n\n" + end + after


def main() -> None:
    tables = {"exactness": exactness(), "nonprojective": nonprojective()}
    if "--write" not in sys.argv:
        for lines in tables.values():
            print(*lines, "", sep="\n")
        return
    text = PAGE.read_text(encoding="utf-8")
    for mark, lines in tables.items():
        text = between(text, mark, lines)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
