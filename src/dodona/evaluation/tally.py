"""Facts about scored words, and their counts by label, distance, sentence length and position."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from dodona.evaluation.pairs import Pair, Parsed, pair
from dodona.evaluation.score_counts import Arcs, Attachment
from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.universal import CONTENT, RELATIONS, UNANNOTATED, universal_part

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


Tally = Mapping[Fact, int]
Kind = TypeVar("Kind", bound=Hashable)


def overall(tally: Tally) -> Attachment:
    """Count all scored words."""
    return _attachment(tally, lambda fact: "all", ["all"])["all"]


def by_length(tally: Tally) -> dict[str, Attachment]:
    """Count words by the length of their sentence, unscored words included."""
    return _attachment(tally, lambda fact: fact.length, LENGTHS)


def by_quarter(tally: Tally) -> dict[str, Attachment]:
    """Count words by position in the sentence (Aufrant et al. 2017, table 2)."""
    return _attachment(tally, lambda fact: fact.quarter, QUARTERS)


def by_label(tally: Tally) -> dict[str, Arcs]:
    """Count labelled arcs by label, the most frequent in gold first."""
    arcs = _arcs(tally, lambda f: f.gold_label, lambda f: f.system_label, lambda f: f.is_labelled)
    return dict(sorted(arcs.items(), key=lambda item: (-item[1].n_gold, item[0])))


def by_distance(tally: Tally) -> dict[str, Arcs]:
    """Count arcs by the distance between their ends."""
    arcs = _arcs(
        tally, lambda f: f.gold_distance, lambda f: f.system_distance, lambda f: f.is_attached
    )
    return {name: arcs[name] for name in DISTANCES if name in arcs}


def nonprojective(tally: Tally) -> Arcs:
    """Count the arcs that are non-projective in their tree."""
    arcs = _arcs(
        tally,
        lambda f: f.gold_is_nonprojective,
        lambda f: f.system_is_nonprojective,
        lambda f: f.is_attached,
    )
    return arcs.get(True, Arcs(0, 0, 0, 0))


def content(tally: Tally) -> Arcs:
    """Count labelled arcs of content words (Nivre & Fang 2017), subtypes of labels aside."""
    arcs = _arcs(
        tally,
        lambda f: is_content(f.gold_label),
        lambda f: None if f.system_label is None else is_content(f.system_label),
        lambda f: f.is_labelled,
    )
    return arcs.get(True, Arcs(0, 0, 0, 0))


def is_content(label: str) -> bool:
    """Return whether a word with this label is a content word.

    >>> is_content("nsubj:pass"), is_content("case")
    (True, False)
    """
    return universal_part(label) in CONTENT


def is_universal(tally: Tally) -> bool:
    """Return whether at least half of the gold labels are relations of Universal Dependencies."""
    n_known = sum(n for fact, n in tally.items() if universal_part(fact.gold_label) in RELATIONS)
    return 2 * n_known >= sum(tally.values())


def _arcs(
    tally: Tally,
    gold: Callable[[Fact], Kind],
    system: Callable[[Fact], Kind | None],
    is_right: Callable[[Fact], bool],
) -> dict[Kind, Arcs]:
    """Count arcs by their kind in the gold tree and in the system's (None: no arc)."""
    n_gold, n_system, n_recovered, n_correct = (Counter[Kind]() for _ in range(4))
    for fact, n in tally.items():
        kind, guess = gold(fact), system(fact)
        n_right = n * is_right(fact)
        n_gold[kind] += n
        n_recovered[kind] += n_right
        if guess is not None:
            n_system[guess] += n
            n_correct[guess] += n_right
    counts = n_gold, n_system, n_recovered, n_correct
    return {kind: Arcs(*(count[kind] for count in counts)) for kind in n_gold | n_system}


def _attachment(
    tally: Tally, group: Callable[[Fact], str], names: Iterable[str]
) -> dict[str, Attachment]:
    counts = {name: [0, 0, 0] for name in names}
    for fact, n in tally.items():
        found = counts[group(fact)]
        for i, is_counted in enumerate((True, fact.is_attached, fact.is_labelled)):
            found[i] += n * is_counted
    return {name: Attachment(*found) for name, found in counts.items() if found[0]}
