"""Logistic regression on hashed n-grams, rounded to integers of eight bits."""

from __future__ import annotations

import random
from array import array
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from dodona.core.identifying.ngrams import ngram_rows

BATCH = 256
RATE = 0.3  # of AdaGrad
CLIPPED = 0.9995  # share of the weights that eight bits hold


def make_matrix(pieces: list[str], n_rows: int) -> sparse.csr_matrix:
    """Return a sparse matrix with the number of occurrences of each feature in each piece."""
    columns, ends = array("I"), [0]
    for piece in pieces:
        columns.extend(ngram_rows(piece, n_rows)[0])
        ends.append(len(columns))
    ones = np.ones(len(columns), np.float32)
    shape = (len(pieces), n_rows)
    return sparse.csr_matrix(
        (ones, np.frombuffer(columns, np.uint32).astype(np.int32), ends), shape
    )


def train(
    samples: Mapping[str, list[str]], n_rows: int, epochs: int, seed: int
) -> tuple[list[str], np.ndarray]:
    """Return the classes, and a row of integer weights for each feature."""
    classes = sorted(samples, key=lambda name: (not name, name))  # no language comes last
    pairs = [(text, label) for label, name in enumerate(classes) for text in samples[name]]
    random.Random(seed).shuffle(pairs)
    matrix = make_matrix([text for text, _ in pairs], n_rows)
    labels = np.array([label for _, label in pairs])
    weights = np.zeros((n_rows, len(classes)), np.float32)
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
        print(f"epoch {epoch + 1}: {100 * n_wrong / len(pairs):.2f}% wrong while learning")
    return classes, to_integers(weights)


def to_integers(weights: np.ndarray) -> np.ndarray:
    """Return the weights scaled and rounded to eight bits; the largest ones are clipped."""
    centred = weights - weights.mean(1, keepdims=True)  # a constant per feature changes nothing
    scale = 127 / np.quantile(np.abs(centred), CLIPPED)
    return np.clip(np.round(centred * scale), -127, 127).astype(np.int8)
