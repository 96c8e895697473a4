"""Logistic regression on one number: the probability that a prediction is right, by its signal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import exp, log1p
from typing import NamedTuple

Points = list[tuple[float, bool]]  # signals, and whether the predictions are right
Counts = Mapping[float, tuple[int, int]]  # by signal: how many are wrong, and how many right

N_STEPS = 40  # of Newton's method, at most
PRIOR = 1.0  # weight of slope 1 and offset 0, for data that leave them open
SMALLEST = 1e-3  # part of a step of Newton's method
PRECISION = 1e-9  # of the loss


class Line(NamedTuple):
    """A logistic function of slope * signal + offset, and its loss, a negative log-likelihood."""

    slope: float
    offset: float
    loss: float


def fit_line(points: Points) -> Line:
    """Fit a logistic function by Newton's method.

    >>> line = fit_line([(1.0, True)] * 900 + [(1.0, False)] * 100)
    >>> round(1 / (1 + exp(-line.slope - line.offset)), 2)
    0.9
    """
    wrong_and_right: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for signal, right in points:
        wrong_and_right[round(signal, 2)][right] += 1  # a tenth of the numbers, the same function
    counts = {signal: (wrong, right) for signal, (wrong, right) in wrong_and_right.items()}
    line = Line(1.0, 0.0, loss_of(counts, 1.0, 0.0))
    for _ in range(N_STEPS):
        better = _improve(counts, line)
        is_done = line.loss - better.loss <= PRECISION * line.loss
        line = better
        if is_done:
            break
    return line


def loss_of(counts: Counts, slope: float, offset: float) -> float:
    """Return the negative log-likelihood of the counts, and of a weak prior."""
    loss = PRIOR / 2 * ((slope - 1) ** 2 + offset**2)
    for signal, (wrong, right) in counts.items():
        x = slope * signal + offset
        if_right, if_wrong = log1p(exp(-abs(x))) + max(-x, 0), log1p(exp(-abs(x))) + max(x, 0)
        loss += right * if_right + wrong * if_wrong
    return loss


def _improve(counts: Counts, line: Line) -> Line:
    """Take a step of Newton's method, or the largest part of it that lowers the loss."""
    g, h = [PRIOR * (line.slope - 1), PRIOR * line.offset], [PRIOR, 0.0, PRIOR]
    for signal, (wrong, right) in counts.items():
        x = line.slope * signal + line.offset
        p = 1 / (1 + exp(-x)) if x >= 0 else 1 - 1 / (1 + exp(x))
        error, curve = (wrong + right) * p - right, (wrong + right) * p * (1 - p)
        g = [g[0] + error * signal, g[1] + error]
        h = [h[0] + curve * signal * signal, h[1] + curve * signal, h[2] + curve]
    determinant = h[0] * h[2] - h[1] * h[1]
    slope, offset = (h[2] * g[0] - h[1] * g[1]), (h[0] * g[1] - h[1] * g[0])
    size = 1.0
    while size > SMALLEST:
        to = line.slope - size * slope / determinant, line.offset - size * offset / determinant
        loss = loss_of(counts, *to)
        if loss < line.loss:
            return Line(*to, loss)
        size /= 2
    return line
