"""Training of what tells close languages apart: words and n-grams, many more than the base has.

Danish, Bokmål and Nynorsk differ in single words and endings, and so do Croatian and Serbian. A
table of their own, with a weight for each member of such a group, costs 7 bytes an n-gram instead
of 44. The weights are naive Bayes again, with a share for treebanks far above their size: most raw
text in Bokmål is of one topic, and that in Croatian and Serbian consists of old novels. Logistic
regression learned these topics: 10% of the dev sentences of the first group wrong instead of 6%.
Pieces of raw text that the base model takes for another language are left out, since novels in
Bokmål quote Landsmål.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np

from dodona.core.identifying.ngrams import N_SHARED
from tools.identifier.samples import MOST_OF_CLOSE, cut, is_held_out
from tools.identifier.training import BLOCK, make_matrix, read_features

ALPHA = 0.03  # added to counts
FOREIGN = 30  # lead of another language that counts, times the root of the number of features
SCALE = 14  # of a weight of 1, so that eight bits hold weights up to 9

GROUPS = {  # n-grams, and the share of treebanks in all counts
    ("da", "nb", "nn"): (24_000, 0.35),
    ("hr", "sr"): (24_000, 0.5),
    ("cs", "sk"): (10_000, 0.35),
}
Model = tuple[list[str], np.ndarray, np.ndarray]  # classes, keys, weights
Counts = tuple[np.ndarray, np.ndarray]  # keys, and how often they occur


def train_close(
    group: tuple[str, ...],
    most: int,
    share: float,
    texts: Mapping[str, list[str]],
    trees: Mapping[str, list[str]],
    base: Model,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys and the weights of a group, as `NgramScorer` reads them."""
    parts = []
    for language in group:
        chance = random.Random(language)
        known = [line for line in texts[language] if not is_held_out(line)]
        raw = without_foreign(cut(known, MOST_OF_CLOSE, chance), language, base)
        parts.append([count(raw), count(cut(trees[language], MOST_OF_CLOSE, chance))])
    every = np.unique(np.concatenate([keys for both in parts for keys, _ in both]))
    counts = np.stack([mix(every, *both, share) for both in parts], axis=1)
    logs = np.log((counts + ALPHA) / (counts.sum(0) + ALPHA * len(every)))
    weights = logs - logs.mean(1, keepdims=True)
    worth = np.abs(weights * counts).sum(1)
    chosen = np.sort(np.argsort(-worth)[:most])
    shared = np.zeros((N_SHARED, len(group)))
    rows = np.concatenate([shared, weights[chosen] * SCALE])
    return every[chosen], np.clip(np.round(rows), -127, 127).astype(np.int8)


def without_foreign(pieces: list[str], language: str, base: Model) -> list[str]:
    """Return the pieces that the base model does not take for another language."""
    classes, keys, weights = base
    own = classes.index(language)
    kept = []
    for start in range(0, len(pieces), BLOCK):
        block = pieces[start : start + BLOCK]
        features = read_features(block)
        scores = make_matrix(features, keys) @ weights[:, :-1].astype(np.float32)
        lead = scores.max(1) - scores[:, own]
        limits = FOREIGN * np.sqrt([len(keys) for keys, _ in features])
        kept += [piece for piece, ok in zip(block, lead <= limits, strict=True) if ok]
    return kept


def count(pieces: list[str]) -> Counts:
    """Return the keys of n-grams that occur, and how often they do."""
    return np.unique(
        np.concatenate([keys for keys, _ in read_features(pieces)]), return_counts=True
    )


def mix(every: np.ndarray, raw: Counts, trees: Counts, share: float) -> np.ndarray:
    """Return the counts of raw text and treebank together, the latter with a share of them."""
    total = np.zeros(len(every))
    n = raw[1].sum() + trees[1].sum()
    for (keys, counts), part in ((raw, 1 - share), (trees, share)):
        total[np.searchsorted(every, keys)] += counts * (part * n / counts.sum())
    return total
