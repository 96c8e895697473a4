"""Accuracy of tags, features and lemmas, as in the CoNLL 2018 shared task."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from dodona.evaluation.pairs import Pair
from dodona.evaluation.parsed import Parsed

# The features the shared task compared (UFeats).
UNIVERSAL_FEATURES = """
    Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood NumType Number Person
    Polarity Polite Poss PronType Reflex Tense VerbForm Voice
"""
_FEATURES = frozenset(UNIVERSAL_FEATURES.split())


def tag_accuracy(pairs: Sequence[Pair], column: str, *, universal: bool = False) -> float | None:
    """Return the percentage of right values; None unless the column is filled in both treebanks.

    A gold lemma of "_" accepts any lemma. With `universal`, only universal features are compared.
    """
    agree: Callable[[str, str], bool] = operator.eq
    if column == "lemmas":
        agree = lemmas_agree
    elif column == "feats" and universal:
        agree = _universal_features_agree
    n_correct = n_words = 0
    gold_has_any = system_has_any = False
    for pair in pairs:
        gold, system = _values(pair.gold, column), _values(pair.system, column)
        gold_has_any = gold_has_any or any(value != "_" for value in gold)
        system_has_any = system_has_any or any(value != "_" for value in system)
        if gold == system:
            n_correct += len(pair.words)
        elif gold and system:
            n_correct += sum(agree(gold[i], system[i]) for i in pair.words)
        n_words += len(pair.words)
    return 100 * (n_correct / n_words) if gold_has_any and system_has_any and n_words else None


def _values(sentence: Parsed, column: str) -> Sequence[str]:
    values: Sequence[str] = getattr(sentence, column, ())
    return values


def lemmas_agree(gold: str, system: str) -> bool:
    """Return whether the lemma is right; if gold has none ("_"), any lemma is."""
    return gold in ("_", system)


def _universal_features_agree(gold: str, system: str) -> bool:
    return gold == system or universal_features(gold) == universal_features(system)


def universal_features(feats: str) -> list[str]:
    """Return the features that the shared task compared, sorted.

    >>> universal_features("Typo=Yes|Number=Sing|Case=Nom")
    ['Case=Nom', 'Number=Sing']
    """
    return sorted(f for f in feats.split("|") if f.partition("=")[0] in _FEATURES)
