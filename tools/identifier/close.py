"""Training of what tells close languages apart: words and n-grams, many more than the base has.

Danish, Bokmål and Nynorsk differ in single words and endings, and so do Croatian and Serbian. A
table of their own, with a weight for each member of such a group, costs 7 bytes an n-gram instead
of 44. The weights are naive Bayes again, with a share for treebanks far above their size: most raw
text in Bokmål is of one topic, and that in Croatian and Serbian consists of old novels. Logistic
regression learned these topics: 10% of the dev sentences of the first group wrong instead of 6%.
Counting by words brings them to 4%, since long words are the words of topics; Croatian and Serbian,
whose endings and stems differ rather than their short words, are better off with all n-grams.
Pieces of raw text that the base model takes for another language are left out, since novels in
Bokmål quote Landsmål.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from dodona.core.identifying.ngrams import N_SHARED
from tools.identifier.samples import MOST_OF_CLOSE, cut, is_held_out
from tools.identifier.training import BLOCK, Features, make_matrix, read_features

LENGTHS = 5  # rows shared by n-grams: of one to four letters, and of words
KNOWN_WORD = 5  # occurrences of a word that counts as such, instead of by its n-grams
FOREIGN = 30  # lead of another language that counts, times the root of the number of features
SCALE = 14  # of a weight of 1, so that eight bits hold weights up to 9


class Group(NamedTuple):
    """Close languages, and how they are told apart."""

    languages: tuple[str, ...]
    most: int  # n-grams and words
    share: float  # of treebanks in all counts
    alpha: float  # added to counts
    by_words: bool  # as `NgramScorer` sums up


GROUPS = (
    Group(("da", "nb", "nn"), 38_000, 0.35, 0.1, by_words=True),
    Group(("hr", "sr"), 24_000, 0.5, 0.3, by_words=False),
    Group(("cs", "sk"), 10_000, 0.35, 0.1, by_words=False),
)
Model = tuple[list[str], np.ndarray, np.ndarray]  # classes, keys, weights
Counts = tuple[np.ndarray, np.ndarray]  # keys, and how often they occur


def train_close(
    group: Group, texts: Mapping[str, list[str]], trees: Mapping[str, list[str]], base: Model
) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys and the weights of a group, as `NgramScorer` reads them."""
    words: set[int] = set()
    parts = []
    for language in group.languages:
        chance = random.Random(language)
        known = [line for line in texts[language] if not is_held_out(line)]
        raw = without_foreign(cut(known, MOST_OF_CLOSE, chance), language, base)
        both = raw, read_features(cut(trees[language], MOST_OF_CLOSE, chance))
        parts.append([count(some, group.by_words) for some in both])
        words.update(*(keys[is_word(rows)].tolist() for some in both for keys, rows in some))
    every = np.unique(np.concatenate([keys for both in parts for keys, _ in both]))
    counts = np.stack([mix(every, *both, group.share) for both in parts], axis=1)
    logs = np.log((counts + group.alpha) / (counts.sum(0) + group.alpha * len(every)))
    weights = logs - logs.mean(1, keepdims=True)
    worth = np.abs(weights * counts).sum(1)
    if group.by_words:  # all known words, so that none of them counts by its n-grams
        are_words = np.isin(every, np.array([*words], np.uint32))
        often = counts.sum(1) >= KNOWN_WORD
        worth = np.where(are_words, np.where(often, np.inf, 0), worth)
        print(f"{group.languages}: {(are_words & often).sum():,} words")
    chosen = np.sort(np.argsort(-worth, kind="stable")[: group.most])
    rows = np.concatenate([np.zeros((N_SHARED, len(logs[0]))), weights[chosen] * SCALE])
    return every[chosen], np.clip(np.round(rows), -127, 127).astype(np.int8)


def is_word(rows: np.ndarray) -> np.ndarray:
    """Return which features are words, by the rows that they share."""
    return rows >= N_SHARED // LENGTHS * (LENGTHS - 1)


def without_foreign(pieces: list[str], language: str, base: Model) -> list[Features]:
    """Return the features of the pieces that the base model does not take for another language."""
    classes, keys, weights = base
    own = classes.index(language)
    kept: list[Features] = []
    for start in range(0, len(pieces), BLOCK):
        features = read_features(pieces[start : start + BLOCK])
        scores = make_matrix(features, keys) @ weights[:, :-1].astype(np.float32)
        lead = scores.max(1) - scores[:, own]
        limits = FOREIGN * np.sqrt([len(keys) for keys, _ in features])
        kept += [one for one, ok in zip(features, lead <= limits, strict=True) if ok]
    return kept


def count(pieces: Iterable[Features], by_words: bool) -> Counts:
    """Return the keys of n-grams that occur, and how often they do; by words, no single letters."""
    least = N_SHARED // LENGTHS if by_words else 0
    found = [keys[rows >= least] for keys, rows in pieces]
    return np.unique(np.concatenate(found), return_counts=True)


def mix(every: np.ndarray, raw: Counts, trees: Counts, share: float) -> np.ndarray:
    """Return the counts of raw text and treebank together, the latter with a share of them."""
    total = np.zeros(len(every))
    n = raw[1].sum() + trees[1].sum()
    for (keys, counts), part in ((raw, 1 - share), (trees, share)):
        total[np.searchsorted(every, keys)] += counts * (part * n / counts.sum())
    return total
