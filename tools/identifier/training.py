"""Training of the identifier: choice of n-grams, naive Bayes, a class of no language, eight bits.

Naive Bayes tells close languages apart better than logistic regression, which learns the topics of
the texts at hand: with as many n-grams, 92% instead of 86% of the dev sentences of Nynorsk, whose
training text is speech and book reviews. It cannot reject a language that it does not know, so the
weights of no language are learned by logistic regression against all others.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import combinations

import numpy as np
from scipy import sparse

from dodona.core.identifying.ngrams import N_SHARED, ngram_keys
from tools.identifier.samples import CLOSE

COUNTED = 4_000  # pieces of each language among whose n-grams some are chosen
TYPICAL = 800  # n-grams of each language: its most frequent ones
TELLING = 200  # n-grams of each pair of languages: those that tell them apart
TELLING_CLOSE = 3_000  # n-grams of a pair of close languages
ALPHA = 0.3  # added to every count
TEMPERATURE = 10.0  # n-grams of a text are not independent: their scores are divided by this
TUNED = 2_500  # pieces of each language from which no language is told apart
KNOWN = 8.0  # weight of a piece of a known language: wrong rejection is worse than acceptance
BLOCK, BATCH = 2_000, 256
PASSES = 3  # over these pieces
RATE = 0.05  # of AdaGrad
CLIPPED = 0.9995  # share of the weights that eight bits hold

Features = tuple[np.ndarray, np.ndarray]  # keys, and rows shared by n-grams without their own


def read_features(pieces: list[str]) -> list[Features]:
    """Return the features of each piece."""
    found = map(ngram_keys, pieces)
    return [(np.frombuffer(keys, np.uint32), np.frombuffer(rows, np.uint8)) for keys, rows in found]


def choose_keys(samples: Mapping[str, list[str]], most: int) -> np.ndarray:
    """Return the keys of the n-grams that get weights of their own, sorted."""
    names = [name for name in samples if name]
    counted = {}
    for name in names:
        pieces = read_features(
            random.Random(name).sample(samples[name], min(len(samples[name]), COUNTED))
        )
        keys = np.concatenate([keys for keys, _ in pieces])
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
    samples: Mapping[str, list[str]], most: int, seed: int
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the classes, the keys of n-grams, and a row of integer weights for each row."""
    classes = sorted(samples, key=lambda name: (not name, name))  # no language comes last
    keys = choose_keys(samples, most)
    counts = np.stack([count_rows(samples[name], keys) for name in classes], axis=1)
    weights = np.log((counts + ALPHA) / (counts.sum(0) + ALPHA * len(counts)))
    weights = (weights - weights.mean(1, keepdims=True)).astype(np.float32) / TEMPERATURE
    tune_rejection(weights, samples, classes, keys, seed)
    return classes, keys, to_integers(weights)


def count_rows(pieces: list[str], keys: np.ndarray) -> np.ndarray:
    """Return how often each row occurs."""
    total = np.zeros(N_SHARED + len(keys))
    for start in range(0, len(pieces), BLOCK):
        block = make_matrix(read_features(pieces[start : start + BLOCK]), keys)
        total += np.bincount(block.indices, minlength=len(total))
    return total


def tune_rejection(
    weights: np.ndarray,
    samples: Mapping[str, list[str]],
    classes: list[str],
    keys: np.ndarray,
    seed: int,
) -> None:
    """Learn the weights of no language, the last column, beside those of the languages."""
    chance = random.Random(seed)
    pairs = []
    for name in classes:
        own = samples[name]
        chosen = chance.sample(own, min(len(own), TUNED)) if name else own
        pairs += [(piece, not name) for piece in chosen]
    chance.shuffle(pairs)
    matrix = make_matrix(read_features([piece for piece, _ in pairs]), keys)
    is_none = np.array([label for _, label in pairs])
    importance = np.where(is_none, 1.0, KNOWN)
    squares = np.full(len(weights), 1e-2, np.float32)
    n_steps = PASSES * len(pairs)
    for step in range(0, n_steps, BATCH):
        start = step % len(pairs)
        part = slice(start, start + BATCH)
        scores = matrix[part] @ weights
        scores = np.exp(scores - scores.max(1, keepdims=True))
        wrong = (scores[:, -1] / scores.sum(1) - is_none[part]) * importance[part]
        gradient = matrix[part].T @ (wrong / BATCH).astype(np.float32)
        squares += gradient * gradient
        weights[:, -1] -= RATE * (1 - step / n_steps) * gradient / np.sqrt(squares)


def to_integers(weights: np.ndarray) -> np.ndarray:
    """Return the weights scaled and rounded to eight bits; the largest ones are clipped."""
    centred = weights - weights.mean(1, keepdims=True)  # a constant per row changes nothing
    scale = 127 / np.quantile(np.abs(centred), CLIPPED)
    return np.clip(np.round(centred * scale), -127, 127).astype(np.int8)
