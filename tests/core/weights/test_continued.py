"""Weights that continue from packed ones: scores are sums, and packing adds both up."""

from __future__ import annotations

from random import Random

import pytest

from dodona.core.weights.continued import ContinuedWeights, pack_continued
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.packing import pack

N_CLASSES, TIME = 11, 50.0


def learned(keys: list[int], random: Random, n_classes: int = N_CLASSES) -> Weights:
    weights = Weights(n_classes)
    teach(weights, keys, random)
    return weights


def teach(weights: Weights, keys: list[int], random: Random) -> None:
    for _ in range(300):
        some = random.sample(keys, 5)
        good, bad = random.sample(range(weights.n_classes), 2)
        weights.learn(some, good, bad, random.choice([0.25, 0.5, 1.0]), random.randrange(40))


@pytest.fixture
def random() -> Random:
    return Random(3)


@pytest.fixture
def keys(random: Random) -> list[int]:
    return [random.getrandbits(64) | 1 for _ in range(60)]


@pytest.fixture
def base(keys: list[int], random: Random) -> PackedWeights:
    return pack(learned(keys[:40], random), TIME, least=0)


def test_what_was_not_trained_further_packs_to_the_same_scores(
    base: PackedWeights, keys: list[int]
) -> None:
    again = pack_continued(ContinuedWeights(N_CLASSES, base), 1.0)
    for key in keys:
        assert again.scores([key]) == base.scores([key])


def test_scores_are_those_of_both(base: PackedWeights, keys: list[int], random: Random) -> None:
    both, alone = ContinuedWeights(N_CLASSES, base), Weights(N_CLASSES)
    for weights in (both, alone):
        teach(weights, keys, Random(8))
    some = random.sample(keys, 12)
    packed = [score * base.step for score in base.scores(some)]
    expected = [a + b for a, b in zip(packed, alone.scores(some), strict=True)]
    assert both.scores(some) == pytest.approx(expected, abs=1e-4)


def test_packing_adds_averages_for_old_and_new_features_and_classes(
    base: PackedWeights, keys: list[int]
) -> None:
    n_classes = N_CLASSES + 9  # more blocks than before
    both, alone = ContinuedWeights(n_classes, base), Weights(n_classes)
    for weights in (both, alone):
        teach(weights, keys[35:45], Random(8))  # five known features, five new ones
    again, exact = pack_continued(both, TIME, least=0), pack(alone, TIME, least=0)
    unit = 8 * base.step  # a weight is stored within half of it; less than a quarter may be dropped
    most = 127 * unit
    for key in keys[:45]:
        old = [score * base.step for score in base.scores([key])] + [0.0] * 9
        new = [score * exact.step for score in exact.scores([key])]
        sums = [max(-most, min(most, a + b)) for a, b in zip(old, new, strict=True)]
        found = [score * again.step for score in again.scores([key])]
        assert found == pytest.approx(sums, abs=unit + 8 * exact.step)


def test_a_new_class_begins_with_the_weights_of_a_similar_one(
    base: PackedWeights, keys: list[int]
) -> None:
    both = ContinuedWeights(N_CLASSES + 2, base, like=[(N_CLASSES + 1, 4)])
    again = pack_continued(both, 1.0)
    for key in keys[:40]:
        found = both.scores([key])
        assert found[N_CLASSES:] == pytest.approx([0.0, found[4]])
        whole = again.scores([key])
        assert whole == [*base.scores([key]), 0, whole[4]]
    with pytest.raises(IndexError, match="class 3 like 4 of 11 classes"):
        ContinuedWeights(N_CLASSES + 2, base, like=[(3, 4)])


def test_new_features_that_do_not_fit_the_table_are_the_lightest(random: Random) -> None:
    old = [random.getrandbits(64) | 1 for _ in range(60)]
    base = pack(learned(old, random), TIME, least=0)
    both = ContinuedWeights(N_CLASSES, base)
    new = [random.getrandbits(64) | 1 for _ in range(100)]
    for i, key in enumerate(new):
        both.learn([key], 0, 1, 1.0 + i / 10, 0)
    again = pack_continued(both, 1.0, least=0)
    kept = [any(again.scores([key])) for key in new]
    assert 0 < sum(kept) < 30
    assert kept == sorted(kept)
    assert all(again.scores([key]) == base.scores([key]) for key in old)


def test_training_resumes_from_what_was_saved(base: PackedWeights, keys: list[int]) -> None:
    whole = ContinuedWeights(N_CLASSES, base)
    teach(whole, keys, Random(8))
    saved = Weights(N_CLASSES)
    teach(saved, keys, Random(8))
    resumed = ContinuedWeights(N_CLASSES, base, saved)
    for weights in (whole, resumed):
        teach(weights, keys, Random(9))
    assert whole.save() == resumed.save()
    packed = [pack_continued(weights, TIME) for weights in (whole, resumed)]
    assert packed[0].rows_bytes() == packed[1].rows_bytes()


def test_classes_must_fit(base: PackedWeights) -> None:
    with pytest.raises(ValueError, match="11 classes, but only 10"):
        ContinuedWeights(N_CLASSES - 1, base)
    with pytest.raises(ValueError, match="weights of 12 classes, not 11"):
        ContinuedWeights(N_CLASSES, base, Weights(N_CLASSES + 1))
