"""Training of the identifier: choice of n-grams, logistic regression, rounding to eight bits."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import combinations

import numpy as np
from scipy import sparse

from dodona.core.identifying.ngrams import N_SHARED, ngram_keys

COUNTED = 4_000  # pieces of each language in which n-grams are counted
TYPICAL = 320  # n-grams of each language: its most frequent ones
TELLING = 70  # n-grams of each pair of languages: those that tell them apart
CLOSE = (("nb", "nn"), ("nb", "da"), ("nn", "da"), ("nn", "sv"), ("hr", "sr"), ("cs", "sk"))
TELLING_CLOSE = 900  # n-grams of a pair of close languages
BATCH = 256
RATE = 0.3  # of AdaGrad
CLIPPED = 0.9995  # share of the weights that eight bits hold

Features = tuple[np.ndarray, np.ndarray]  # keys, and rows shared by n-grams without their own


def read_features(pieces: list[str]) -> list[Features]:
    """Return the features of each piece."""
    found = map(ngram_keys, pieces)
    return [(np.frombuffer(keys, np.uint32), np.frombuffer(rows, np.uint8)) for keys, rows in found]


def choose_keys(features: Mapping[str, list[Features]], most: int) -> np.ndarray:
    """Return the keys of the n-grams that get weights of their own, sorted."""
    names = [name for name in features if name]
    counted = {}
    for name in names:
        keys = np.concatenate([keys for keys, _ in features[name][:COUNTED]])
        counted[name] = np.unique(keys, return_counts=True)
    every = np.unique(np.concatenate([keys[n > 3] for keys, n in counted.values()]))
    shares = np.full((len(names), len(every)), 1e-7)
    for row, (keys, n) in enumerate(counted.values()):
        at = np.searchsorted(every, keys)
        known = (at < len(every)) & (every[np.minimum(at, len(every) - 1)] == keys)
        shares[row, at[known]] += n[known] / n.sum()
    chosen: dict[int, None] = {}
    ranked = [_largest(row, TYPICAL) for row in shares]
    for one, other in combinations(range(len(names)), 2):
        a, b = shares[one], shares[other]
        if a @ b < 0.05 * np.sqrt((a @ a) * (b @ b)):  # of different scripts
            continue
        is_close = {names[one], names[other]} in map(set, CLOSE)
        distance = np.abs(a - b) * np.abs(np.log(a / b))
        ranked.append(_largest(distance, TELLING_CLOSE if is_close else TELLING))
    longest = max(map(len, ranked))
    for rank in range(longest):  # the best of each list first
        chosen |= dict.fromkeys(int(one[rank]) for one in ranked if rank < len(one))
    print(f"{len(chosen):,} n-grams are telling; {min(most, len(chosen)):,} are used")
    return np.sort(every[list(chosen)[:most]])


def _largest(values: np.ndarray, n: int) -> np.ndarray:
    return np.argsort(-values)[:n]


def make_matrix(features: list[Features], keys: np.ndarray) -> sparse.csr_matrix:
    """Return a sparse matrix with the rows that each piece uses."""
    ends = np.cumsum([0, *(len(own) for own, _ in features)])
    found = np.concatenate([own for own, _ in features])
    rows = np.concatenate([shared for _, shared in features]).astype(np.int32)
    at = np.minimum(np.searchsorted(keys, found), len(keys) - 1)
    is_known = keys[at] == found
    rows[is_known] = N_SHARED + at[is_known]
    shape = (len(features), N_SHARED + len(keys))
    return sparse.csr_matrix((np.ones(len(rows), np.float32), rows, ends), shape)


def train(
    samples: Mapping[str, list[str]], most: int, epochs: int, seed: int
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the classes, the keys of n-grams, and a row of integer weights for each row."""
    classes = sorted(samples, key=lambda name: (not name, name))  # no language comes last
    features = {name: read_features(samples[name]) for name in classes}
    keys = choose_keys(features, most)
    pairs = [(one, label) for label, name in enumerate(classes) for one in features[name]]
    random.Random(seed).shuffle(pairs)
    matrix = make_matrix([one for one, _ in pairs], keys)
    labels = np.array([label for _, label in pairs])
    weights = np.zeros((matrix.shape[1], len(classes)), np.float32)
    squares = np.full_like(weights, 1e-3)
    for epoch in range(epochs):
        n_wrong = 0
        for start in range(0, len(pairs), BATCH):
            batch, gold = matrix[start : start + BATCH], labels[start : start + BATCH]
            scores = batch @ weights
            n_wrong += int((scores.argmax(1) != gold).sum())
            scores = np.exp(scores - scores.max(1, keepdims=True))
            scores /= scores.sum(1, keepdims=True)
            scores[np.arange(len(gold)), gold] -= 1
            gradient = batch.T @ (scores / len(gold))
            squares += gradient * gradient
            weights -= RATE / (epoch + 1) * gradient / np.sqrt(squares)
        print(
            f"epoch {epoch + 1}: {100 * n_wrong / len(pairs):.2f}% wrong while learning", flush=True
        )
    return classes, keys, to_integers(weights)


def to_integers(weights: np.ndarray) -> np.ndarray:
    """Return the weights scaled and rounded to eight bits; the largest ones are clipped."""
    centred = weights - weights.mean(1, keepdims=True)  # a constant per row changes nothing
    scale = 127 / np.quantile(np.abs(centred), CLIPPED)
    return np.clip(np.round(centred * scale), -127, 127).astype(np.int8)
