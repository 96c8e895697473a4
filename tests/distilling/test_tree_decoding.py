"""Tree decoding, compared with an enumeration of all trees."""

from __future__ import annotations

from itertools import product

import pytest

pytest.importorskip("numpy")

import numpy as np

from dodona.distilling.tree_decoding import best_trees, eisner, spanning_tree
from dodona.treebank.trees.projectivity import is_projective


def all_trees(n: int) -> list[tuple[int, ...]]:
    """Yield every tree of n words with one word under the root."""

    def leads_to_root(heads: tuple[int, ...], word: int) -> bool:
        for _ in range(n + 1):
            if word == 0:
                return True
            word = heads[word - 1]
        return False

    return [
        heads
        for heads in product(range(n + 1), repeat=n)
        if heads.count(0) == 1 and all(leads_to_root(heads, word) for word in range(1, n + 1))
    ]


TREES = {n: all_trees(n) for n in range(1, 6)}


def total(scores, heads) -> float:  # type: ignore[no-untyped-def]
    return sum(float(scores[d, h]) for d, h in enumerate(heads))


def random_scores(n: int, seed: int):  # type: ignore[no-untyped-def]
    scores = np.random.default_rng(seed).normal(size=(n, n + 1))
    scores[np.arange(n), np.arange(1, n + 1)] = -50
    return scores


@pytest.mark.parametrize("n", TREES)
@pytest.mark.parametrize("seed", range(8))
def test_the_best_tree_is_that_of_a_search_through_all(n: int, seed: int) -> None:
    scores = random_scores(n, seed)
    best = max(TREES[n], key=lambda heads: total(scores, heads))
    assert total(scores, spanning_tree(scores)) == pytest.approx(total(scores, best))
    assert tuple(spanning_tree(scores)) in TREES[n]
    flat = [heads for heads in TREES[n] if is_projective(list(heads))]
    best = max(flat, key=lambda heads: total(scores, heads))
    (found,) = eisner(scores[None], [n])
    assert tuple(found) == best


@pytest.mark.parametrize("projective", [True, False])
def test_sentences_of_a_batch_do_not_see_each_other(projective: bool) -> None:
    lengths = [3, 1, 5, 0, 4]
    batch = np.full((len(lengths), 6, 7), -3.0)
    alone = [random_scores(n, seed) for seed, n in enumerate(lengths)]
    for i, scores in enumerate(alone):
        n = len(scores)
        batch[i, :n, : n + 1], batch[i, :n, n + 1 :] = scores, -1e9
    found = best_trees(batch, lengths, projective=projective)
    for heads, scores, n in zip(found, alone, lengths, strict=True):
        if n:
            trees = [t for t in TREES[n] if not projective or is_projective(list(t))]
            assert tuple(heads) == max(trees, key=lambda t: total(scores, t))
        else:
            assert heads == []


def test_a_cycle_within_a_cycle_is_opened() -> None:
    """Decode long sentences with nested cycles."""
    rng = np.random.default_rng(3)
    for n in (8, 16, 30):
        scores = rng.normal(size=(n, n + 1)) - 5
        for d in range(n):
            scores[d, (d ^ 1) % n + 1] += 12
            scores[d, (d ^ 2) % n + 1] += 6
            scores[d, d + 1] = -50
        heads = spanning_tree(scores)
        assert heads.count(0) == 1
        for word in range(1, n + 1):
            for _ in range(n):
                word = heads[word - 1] if word else 0
            assert word == 0
