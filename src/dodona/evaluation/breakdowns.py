"""From the facts of scored words to counts by label, distance, length and position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from dodona.evaluation.counts import Arcs, Attachment
from dodona.evaluation.tally import DISTANCES, LENGTHS, QUARTERS, Fact
from dodona.treebank.universal import CONTENT, RELATIONS, universal_part

Tally = Mapping[Fact, int]
Key = TypeVar("Key", bound=Hashable)


def overall(tally: Tally) -> Attachment:
    """All scored words together."""
    return _attachment(tally, lambda fact: "all", ["all"])["all"]


def by_length(tally: Tally) -> dict[str, Attachment]:
    """By the number of words in the sentence, unscored ones included."""
    return _attachment(tally, lambda fact: fact.length, LENGTHS)


def by_quarter(tally: Tally) -> dict[str, Attachment]:
    """By position in the sentence (Aufrant et al. 2017, table 2)."""
    return _attachment(tally, lambda fact: fact.quarter, QUARTERS)


def by_label(tally: Tally) -> dict[str, Arcs]:
    """Labelled arcs by their label, the most frequent in gold first."""
    arcs = _arcs(tally, lambda f: f.gold_label, lambda f: f.system_label, lambda f: f.is_labelled)
    return dict(sorted(arcs.items(), key=lambda item: (-item[1].n_gold, item[0])))


def by_distance(tally: Tally) -> dict[str, Arcs]:
    """Arcs by the distance between their ends."""
    arcs = _arcs(
        tally, lambda f: f.gold_distance, lambda f: f.system_distance, lambda f: f.is_attached
    )
    return {name: arcs[name] for name in DISTANCES if name in arcs}


def nonprojective(tally: Tally) -> Arcs:
    """Arcs that are non-projective in their tree."""
    arcs = _arcs(
        tally,
        lambda f: f.gold_is_nonprojective,
        lambda f: f.system_is_nonprojective,
        lambda f: f.is_attached,
    )
    return arcs.get(True, Arcs(0, 0, 0, 0))


def content(tally: Tally) -> Arcs:
    """Labelled arcs of content words (Nivre & Fang 2017), whatever the subtype of their label."""
    arcs = _arcs(
        tally,
        lambda f: is_content(f.gold_label),
        lambda f: None if f.system_label is None else is_content(f.system_label),
        lambda f: f.is_labelled,
    )
    return arcs.get(True, Arcs(0, 0, 0, 0))


def is_content(label: str) -> bool:
    """Whether a word with this label is a content word.

    >>> is_content("nsubj:pass"), is_content("case")
    (True, False)
    """
    return universal_part(label) in CONTENT


def is_universal(tally: Tally) -> bool:
    """Whether gold labels are those of Universal Dependencies, half of them at the least."""
    n_known = sum(n for fact, n in tally.items() if universal_part(fact.gold_label) in RELATIONS)
    return 2 * n_known >= sum(tally.values())


def _arcs(
    tally: Tally,
    gold: Callable[[Fact], Key],
    system: Callable[[Fact], Key | None],
    is_right: Callable[[Fact], bool],
) -> dict[Key, Arcs]:
    """Arcs by the kind they are in the gold tree and in the system's (None: no arc there)."""
    n_gold: Counter[Key] = Counter()
    n_system: Counter[Key] = Counter()
    n_recovered: Counter[Key] = Counter()
    n_correct: Counter[Key] = Counter()
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
