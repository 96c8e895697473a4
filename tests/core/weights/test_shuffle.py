"""Random orders: what training looks at first must not change from version to version."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from dodona.core.weights.shuffle import shuffle


def test_the_order_of_a_seed_is_always_the_same() -> None:
    assert shuffle(10, 1) == [9, 0, 1, 4, 8, 2, 3, 7, 6, 5]
    assert shuffle(10, 2) != shuffle(10, 1)


def test_every_order_is_as_likely_as_any_other() -> None:
    orders = Counter(tuple(shuffle(3, seed)) for seed in range(6000))
    assert set(orders) == set(permutations(range(3)))
    assert all(900 < count < 1100 for count in orders.values())


def test_there_may_be_nothing_to_shuffle() -> None:
    assert shuffle(0, 1) == [] and shuffle(1, 1) == [0]
