"""Logarithms of probabilities in whole numbers, against those of floats."""

from __future__ import annotations

from math import exp, log
from random import Random

import pytest

from dodona.core.search.log_scores import LogScores

UNITS = 256


@pytest.mark.parametrize("seed", range(20))
def test_they_are_those_of_the_softmax(seed: int) -> None:
    random = Random(seed)
    scores = [random.randint(-3000, 3000) for _ in range(random.randint(1, 300))]
    total = log(sum(exp(score / UNITS) for score in scores))
    for score, found in zip(scores, LogScores().normalised(scores), strict=True):
        assert found == pytest.approx(score - total * UNITS, abs=1.01)
        assert found <= 1
