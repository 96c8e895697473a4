"""How far confidences can be trusted: reliability diagram, expected calibration error, AUC.

Guo et al. (2017), On Calibration of Modern Neural Networks: predictions are grouped into bins by
their confidence, and the expected calibration error (ECE) is the mean distance between confidence
and accuracy of a bin, weighted by its size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

N_BINS = 15  # as in the paper
Judged: TypeAlias = tuple[float, bool]  # a confidence, and whether the prediction is right


class Bin(NamedTuple):
    """Predictions of similar confidence: how many, their mean confidence, how many are right."""

    n: int
    confidence: float
    accuracy: float


class Reliability(NamedTuple):
    """The bins of a reliability diagram, and what is computed from the predictions."""

    bins: tuple[Bin, ...]  # of equal width; empty ones are left out
    ece: float
    ece_mass: float  # with bins of equal size
    auc: float | None  # the chance that a wrong prediction has the lower confidence; None: no wrong

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values, rounded."""
        bins = [[one.n, round(one.confidence, 4), round(one.accuracy, 4)] for one in self.bins]
        auc = None if self.auc is None else round(self.auc, 4)
        rounded = {"ece": round(self.ece, 4), "ece_mass": round(self.ece_mass, 4), "auc": auc}
        return {"bins": bins, **rounded}


def measure_reliability(judged: Iterable[Judged], n_bins: int = N_BINS) -> Reliability:
    """Compare confidences with what turned out to be right.

    >>> sure = measure_reliability([(0.9, True), (0.9, True), (0.8, True), (0.5, False)])
    >>> round(sure.ece, 3), sure.auc, len(sure.bins)
    (0.225, 1.0, 3)
    """
    points = sorted(judged, key=itemgetter(0))
    if not points:
        raise ValueError("there are no predictions to compare with confidences")
    wide: list[list[Judged]] = [[] for _ in range(n_bins)]
    for point in points:
        wide[min(int(point[0] * n_bins), n_bins - 1)].append(point)
    cuts = [round(i * len(points) / n_bins) for i in range(n_bins + 1)]
    deep = [points[first:end] for first, end in pairwise(cuts)]
    bins = _bins(wide)
    return Reliability(bins, _error(bins), _error(_bins(deep)), _auc(points))


def _bins(groups: Iterable[Sequence[Judged]]) -> tuple[Bin, ...]:
    return tuple(
        Bin(len(group), _mean(sure for sure, _ in group), _mean(right for _, right in group))
        for group in groups
        if group
    )


def _mean(values: Iterable[float]) -> float:
    found = [*values]
    return sum(found) / len(found)


def _error(bins: Sequence[Bin]) -> float:
    n = sum(one.n for one in bins)
    return sum(one.n * abs(one.confidence - one.accuracy) for one in bins) / n


def _auc(points: Sequence[Judged]) -> float | None:
    """Return the area under the curve; ties count half."""
    n_wrong = sum(not right for _, right in points)
    n_right = len(points) - n_wrong
    if not n_wrong or not n_right:
        return None
    above, won = n_right, 0.0
    for _, tied in groupby(points, key=itemgetter(0)):
        rights = [right for _, right in tied]
        above -= sum(rights)
        won += rights.count(False) * (above + sum(rights) / 2)
    return won / (n_wrong * n_right)
