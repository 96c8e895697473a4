"""Outlines of scores: what is exact is so, and no class exceeds its bound."""

from random import Random

import pytest

from dodona.core.weights.linear import Weights
from dodona.core.weights.packing import pack
from dodona.core.weights.sketch import Sketch

N_CLASSES = [1, 8, 50, 64, 65, 90, 97, 100, 176, 230, 600, 3000]


@pytest.mark.parametrize("is_wide", [False, True], ids=["narrow", "wide"])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_every_class_is_in_one_lane(n_classes: int, is_wide: bool) -> None:
    sketch = Sketch(n_classes, is_wide=is_wide)
    seen = [c for lane in range(sketch.n_lanes) for c in sketch.classes(lane)]
    assert sorted(seen) == list(range((n_classes + 7) // 8 * 8))
    for c in range(sketch.n_exact):
        assert sketch.classes(sketch.exact_lane + c) == range(c, c + 1)


def test_a_lane_that_is_not_there_is_about_nothing() -> None:
    for lane in (-1, 64, 1000):
        assert not Sketch(176).classes(lane)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_no_class_exceeds_its_bound(n_classes: int, seed: int) -> None:
    """Nor are bounds far away: half of a weight is rounded for every feature."""
    random = Random(seed)
    keys = [random.getrandbits(64) | 1 for _ in range(40)]
    weights = Weights(max(n_classes, 2))
    for key in keys:
        for _ in range(random.choice([1, 3, 3 * n_classes])):
            good, bad = random.sample(range(weights.n_classes), 2)
            weights.learn([key], good, bad, random.choice([0.5, 1, 3]), 1)
    packed = pack(weights, 1)
    narrow, wide = Sketch(weights.n_classes), Sketch(weights.n_classes, is_wide=True)
    assert packed.narrow.n_lanes == narrow.n_lanes and packed.wide.n_lanes == wide.n_lanes
    rows = {key: packed.scores([key]) for key in keys}
    for size in (1, 2, 40):
        chosen = random.sample(keys, size)
        scores, lanes = packed.scores(chosen), packed.lanes(chosen)
        for sketch in (narrow, wide):
            for c, score in enumerate(scores[: sketch.n_exact]):
                assert lanes[sketch.exact_lane + c] == score
            for bound in range(sketch.bound_lane, sketch.bound_lane + sketch.n_bounds):
                classes = [c for c in sketch.classes(bound) if c < len(scores)]
                if classes:
                    most = sum(max(0, *(rows[key][c] for c in classes), 0) for key in chosen)
                    assert max(scores[c] for c in classes) <= 2 * lanes[bound]
                    assert 2 * lanes[bound] <= most + 8 * size
