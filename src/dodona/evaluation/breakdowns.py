"""Counts of scored words by label, distance, sentence length and position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from dodona.evaluation.score_counts import Arcs, Attachment
from dodona.evaluation.tally import DISTANCES, LENGTHS, QUARTERS, Fact
from dodona.treebank.universal import CONTENT, RELATIONS, universal_part

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
    n_gold: Counter[Kind] = Counter()
    n_system: Counter[Kind] = Counter()
    n_recovered: Counter[Kind] = Counter()
    n_correct: Counter[Kind] = Counter()
    for fact, n in tally.items():
        kind, guess = gold(fact), system(fact)
        n_right = n * is_right(fact)
        n_gold[kind] += n
        n_recovered[kind] += n_right
        if guess is not None:
            n_system[guess] += n
            n_correct[guess] += n_right
    return {
        kind: Arcs(n_gold[kind], n_system[kind], n_recovered[kind], n_correct[kind])
        for kind in n_gold | n_system
    }


def _attachment(
    tally: Tally, group: Callable[[Fact], str], names: Iterable[str]
) -> dict[str, Attachment]:
    n_words: Counter[str] = Counter()
    n_attached: Counter[str] = Counter()
    n_labelled: Counter[str] = Counter()
    for fact, n in tally.items():
        name = group(fact)
        n_words[name] += n
        n_attached[name] += n * fact.is_attached
        n_labelled[name] += n * fact.is_labelled
    return {
        name: Attachment(n_words[name], n_attached[name], n_labelled[name])
        for name in names
        if name in n_words
    }
