"""Distributions of features and their divergence, against dictionaries and a plain sum."""

from __future__ import annotations

from collections import Counter
from math import log
from random import Random

import pytest

from dodona_papers.experiments.aufrant_2017.feature_counts import FeatureCounts


def sample(n: int, seed: int, n_kinds: int) -> list[int]:
    """Keys as templates make them, odd and of 64 bits, some much more frequent than others."""
    kinds = [Random(i).getrandbits(64) | 1 for i in range(n_kinds)]
    random = Random(seed)
    return [kinds[int(n_kinds * random.random() ** 3)] for _ in range(n)]


def make_counts(keys: list[int]) -> FeatureCounts:
    counts = FeatureCounts()
    for i in range(0, len(keys), 100):
        counts.add_keys(keys[i : i + 100])
    return counts


def slow_divergence(p: Counter[int], q: Counter[int], smoothing: float) -> float:
    union = p.keys() | q.keys()

    def share(counts: Counter[int], key: int) -> float:
        return (counts[key] + smoothing) / (counts.total() + smoothing * len(union))

    return sum(share(p, key) * log(share(p, key) / share(q, key)) for key in union)


@pytest.mark.parametrize("n", [0, 1, 99, 20_000])
def test_counts_are_those_of_a_dictionary_however_many(n: int) -> None:
    keys = sample(n, n, 3 * n + 1)
    counts, expected = make_counts(keys), Counter(keys)
    assert counts.to_dict() == expected
    assert (counts.n_features, counts.total) == (len(expected), n)


@pytest.mark.parametrize("smoothing", [0.1, 1.0])
def test_divergence_is_the_sum_over_all_features_of_either(smoothing: float) -> None:
    one, other = sample(4000, 1, 900), sample(700, 2, 1400)
    counters = Counter(one), Counter(other)
    assert counters[0].keys() - counters[1].keys() and counters[1].keys() - counters[0].keys()
    a, b = make_counts(one), make_counts(other)
    for x, y, found in ((0, 1, a.divergence(b, smoothing)), (1, 0, b.divergence(a, smoothing))):
        assert found == pytest.approx(slow_divergence(counters[x], counters[y], smoothing))
    assert a.divergence(b, smoothing) != pytest.approx(b.divergence(a, smoothing))
    assert a.divergence(make_counts(one)) == pytest.approx(0)


def test_what_makes_no_distribution_is_refused() -> None:
    empty, one = FeatureCounts(), make_counts([1])
    with pytest.raises(ValueError, match="no feature was counted"):
        empty.divergence(FeatureCounts())
    with pytest.raises(ValueError, match=r"smoothing must be above 0, not 0\.0"):
        one.divergence(empty, 0)
    with pytest.raises(ValueError, match="the key 4 is even"):
        one.add_keys([4])
