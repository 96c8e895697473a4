"""Facts about scored words; every attachment score is a sum over counts of facts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dodona.evaluation.pairs import Pair, pair
from dodona.evaluation.parsed import Parsed
from dodona.evaluation.score_counts import Attachment
from dodona.treebank.columns import UNANNOTATED
from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.universal import universal_part

# the bins of McDonald & Nivre (2007) and of the CoNLL-X evaluation
DISTANCES = ("root", "1", "2", "3-6", "7+")
# by distance; 0 is a word that is its own head
_BINS = ("1", "1", "2", "3-6", "3-6", "3-6", "3-6", "7+")
LENGTHS = ("1-10", "11-20", "21-30", "31-40", "41-50", "51+")
QUARTERS = ("1st", "2nd", "3rd", "4th")


class Fact(NamedTuple):
    """What is counted of a scored word; a system word without a head has no label or distance."""

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
        """Whether head and label are right."""
        return self.is_attached and self.has_right_label

    @property
    def has_right_label(self) -> bool:
        """Whether the label is right; if gold has none, any label is."""
        return is_right(self.gold_label, self.system_label)


def exact(label: str) -> str:
    """Return the whole label."""
    return label


LABELS: dict[str, Callable[[str], str]] = {"exact": exact, "universal": universal_part}


def is_right(gold_label: str, system_label: str | None) -> bool:
    """Return whether a label is right; if gold has none ("_"), any label is.

    >>> is_right("obj", "obj"), is_right("obj", "iobj"), is_right("_", "obj")
    (True, False, True)
    """
    return gold_label in (UNANNOTATED, system_label)


def label_reader(labels: str) -> Callable[[str], str]:
    """Return the function that maps a label to the part that is compared, by name."""
    if labels not in LABELS:
        raise ValueError(f"labels={labels!r}: expected one of {', '.join(map(repr, LABELS))}")
    return LABELS[labels]


def facts(both: Pair, label: Callable[[str], str]) -> list[Fact]:
    """Return the facts of the scored words, in order."""
    gold_heads, system_heads = both.gold.heads, both.system.heads
    gold_labels, system_labels = both.gold.deprels, both.system.deprels
    gold_nonprojective = _nonprojective(gold_heads)
    system_nonprojective = (
        gold_nonprojective if system_heads == gold_heads else _nonprojective(system_heads)
    )
    n = len(gold_heads)
    length = LENGTHS[bisect_left((10, 20, 30, 40, 50), n)]
    found = []
    for i in both.words:
        head, guess = gold_heads[i], system_heads[i]
        assert head is not None  # words without a gold head are not scored
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
    """Return the bin of an arc's length.

    >>> distance(0, 4), distance(5, 4), distance(12, 4)
    ('root', '1', '7+')
    """
    return _BINS[min(abs(head - dependent), 7)] if head else "root"


def _nonprojective(heads: Sequence[int | None]) -> frozenset[int]:
    """Return the words whose arc is non-projective; words without a head depend on the root."""
    try:
        return frozenset(nonprojective_arcs([head or 0 for head in heads]))
    except ValueError:  # a cycle: projectivity is defined for trees only
        return frozenset()


def count_attachment(gold: Sequence[Parsed], system: Sequence[Parsed]) -> Attachment:
    """Count words with the right head and label as `evaluate` does, without its other scores.

    >>> from types import SimpleNamespace as Sentence
    >>> words = dict(forms=["Oaks", "speak"], upos=["NOUN", "VERB"])
    >>> gold = Sentence(**words, heads=[2, None], deprels=["nsubj", "_"])
    >>> count_attachment([gold], [Sentence(**words, heads=[2, 0], deprels=["obj", "root"])])
    Attachment(n_words=1, n_attached=1, n_labelled=0)
    """
    n_words = n_attached = n_labelled = 0
    for expected, found, words in pair(gold, system, punctuation=True):
        heads, labels = expected.heads, expected.deprels
        guesses, guessed_labels = found.heads, found.deprels
        attached = [i for i in words if guesses[i] == heads[i]]
        n_words += len(words)
        n_attached += len(attached)
        n_labelled += sum(is_right(labels[i], guessed_labels[i]) for i in attached)
    return Attachment(n_words, n_attached, n_labelled)
