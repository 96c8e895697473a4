"""What is true of each scored word, counted once; every score is a sum over these counts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dodona.evaluation.pairs import Pair
from dodona.treebank.columns import UNANNOTATED
from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.universal import universal_part

# McDonald & Nivre (2007) and the CoNLL-X evaluation bin distances like this.
DISTANCES = ("root", "1", "2", "3-6", "7+")
# by number of positions; 0 is a word that is its own head
_BINS = ("1", "1", "2", "3-6", "3-6", "3-6", "3-6", "7+")
LENGTHS = ("1-10", "11-20", "21-30", "31-40", "41-50", "51+")
QUARTERS = ("1st", "2nd", "3rd", "4th")


class Fact(NamedTuple):
    """One scored word; a system word without a head has neither label nor distance."""

    gold_label: str
    system_label: str | None
    is_attached: bool  # the system's head is the gold head
    gold_distance: str
    system_distance: str | None
    gold_is_nonprojective: bool
    system_is_nonprojective: bool
    length: str
    quarter: str

    @property
    def is_labelled(self) -> bool:
        """Head and label are both right."""
        return self.is_attached and self.has_right_label

    @property
    def has_right_label(self) -> bool:
        """The system's label is the gold one; where gold has none, any is right."""
        return is_right(self.gold_label, self.system_label)


def exact(label: str) -> str:
    """The whole label."""
    return label


LABELS: dict[str, Callable[[str], str]] = {"exact": exact, "universal": universal_part}


def is_right(gold_label: str, system_label: str | None) -> bool:
    """Whether a label is right; a word without a gold label ("_") is scored by its head alone.

    >>> is_right("obj", "obj"), is_right("obj", "iobj"), is_right("_", "obj")
    (True, False, True)
    """
    return gold_label in (UNANNOTATED, system_label)


def label_reader(labels: str) -> Callable[[str], str]:
    """The function that reads what counts of a label, by name."""
    if labels not in LABELS:
        raise ValueError(f"labels={labels!r}: expected one of {', '.join(map(repr, LABELS))}")
    return LABELS[labels]


def facts(pair: Pair, label: Callable[[str], str]) -> list[Fact]:
    """The facts of the words that count, in order."""
    gold_heads, system_heads = pair.gold.heads, pair.system.heads
    gold_labels, system_labels = pair.gold.deprels, pair.system.deprels
    gold_nonprojective = _nonprojective(gold_heads)
    system_nonprojective = (
        gold_nonprojective if system_heads == gold_heads else _nonprojective(system_heads)
    )
    n = len(gold_heads)
    length = LENGTHS[bisect_left((10, 20, 30, 40, 50), n)]
    found = []
    for i in pair.words:
        head, guess = gold_heads[i], system_heads[i]
        assert head is not None  # words without a gold head do not count
        has_guess = guess is not None
        found.append(
            Fact(
                label(gold_labels[i]),
                label(system_labels[i]) if has_guess else None,
                head == guess,
                distance(head, i + 1),
                distance(guess, i + 1) if guess is not None else None,
                i + 1 in gold_nonprojective,
                has_guess and i + 1 in system_nonprojective,
                length,
                # the first 25% of the sentence (Aufrant et al. 2017): word 2 of 8, not word 3
                QUARTERS[(4 * (i + 1) - 1) // n],
            )
        )
    return found


def distance(head: int, dependent: int) -> str:
    """The bin of an arc's length.

    >>> distance(0, 4), distance(5, 4), distance(12, 4)
    ('root', '1', '7+')
    """
    return _BINS[min(abs(head - dependent), 7)] if head else "root"


def _nonprojective(heads: Sequence[int | None]) -> frozenset[int]:
    """Words whose arc is non-projective; one without a head hangs from the root meanwhile."""
    try:
        return frozenset(nonprojective_arcs([head or 0 for head in heads]))
    except ValueError:  # a cycle: no tree, and arcs are projective or not in a tree alone
        return frozenset()
