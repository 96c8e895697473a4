"""What many runs say together: means over seeds, averages over treebanks, significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean, stdev
from typing import Any

from dodona.evaluation.significance import mcnemar, paired_bootstrap
from dodona_papers.running.counts import Counts
from dodona_papers.running.runs import Result


@dataclass(frozen=True)
class Score:
    """A score in percent, or a difference of two, with one value per seed.

    >>> static, explore = Score((80.0, 81.0)), Score((81.0, 82.5))
    >>> print(explore, "|", (explore - static).with_sign())
    81.75±1.06 | +1.25±0.35
    >>> Score((-0.001,)).with_sign()
    '+0.00'
    """

    by_seed: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return fmean(self.by_seed)

    @property
    def deviation(self) -> float | None:
        """The standard deviation of a seed's value (n - 1); None of a single seed."""
        return stdev(self.by_seed) if len(self.by_seed) > 1 else None

    def __sub__(self, other: Score) -> Score:
        """The difference seed by seed."""
        return Score(tuple(a - b for a, b in zip(self.by_seed, other.by_seed, strict=True)))

    def __str__(self) -> str:
        return f"{self.mean:.2f}{self._spread()}"

    def with_sign(self) -> str:
        """As text, with a sign even where it is positive."""
        # + 0.0: no "-0.00"
        return f"{round(self.mean, 2) + 0.0:+.2f}{self._spread()}"

    def _spread(self) -> str:
        return "" if self.deviation is None else f"±{self.deviation:.2f}"


@dataclass(frozen=True)
class Difference:
    """By how much one variant is better than another, and whether that may be chance."""

    score: Score
    interval: tuple[float, float]  # of its mean, 95%
    p: float  # two-sided


class Summary:
    """The results of a complete grid, by treebank, variant and seed."""

    def __init__(self, results: Sequence[Result]) -> None:
        self.treebanks = list(dict.fromkeys(result.treebank for result in results))
        self.variants = list(dict.fromkeys(result.variant for result in results))
        self.seeds = list(dict.fromkeys(result.seed for result in results))
        self.commits = list(dict.fromkeys(result.commit for result in results))
        self._results = {(r.treebank, r.variant, r.seed): r for r in results}

    def score(self, treebank: str, variant: str, metric: str, scored: str) -> Score:
        """On the test set of one treebank; `metric` as in `Counts.score`, `scored` as in SCORED."""
        counts = self._counts(treebank, variant, scored)
        return Score(tuple(count.score(metric) for count in counts))

    def average(self, variant: str, metric: str, scored: str) -> Score:
        """The average over treebanks, each with the same weight."""
        scores = [self.score(name, variant, metric, scored).by_seed for name in self.treebanks]
        return Score(tuple(map(fmean, zip(*scores, strict=True))))

    def curve(self, treebank: str, variant: str, metric: str = "las") -> list[float]:
        """Dev LAS or UAS after each epoch, the mean over seeds."""
        return self._by_epoch(treebank, variant, {"las": "curve", "uas": "uas_curve"}[metric])

    def effort(self, treebank: str, variant: str, unit: str) -> list[float]:
        """What training had cost after each epoch, in `Result`'s "n_updates" or "cpu_seconds".

        The mean over seeds.
        """
        return list(accumulate(self._by_epoch(treebank, variant, unit)))

    def _by_epoch(self, treebank: str, variant: str, name: str) -> list[float]:
        by_seed = [getattr(self._results[treebank, variant, seed], name) for seed in self.seeds]
        return list(map(fmean, zip(*by_seed, strict=True)))

    def difference(self, treebank: str, a: str, b: str, metric: str, scored: str) -> Difference:
        """Variant `a` minus variant `b` on one treebank.

        Tested by the paired bootstrap over sentences; the seeds of a sentence are summed, since
        they are not independent of each other.
        """
        counts_a, counts_b = self._counts(treebank, a, scored), self._counts(treebank, b, scored)
        right_a, right_b = (
            [sum(values) for values in zip(*(c.right(metric) for c in counts), strict=True)]
            for counts in (counts_a, counts_b)
        )
        gains = [x - y for x, y in zip(right_a, right_b, strict=True)]
        sizes = [n * len(self.seeds) for n in counts_a[0].n_words]
        interval, p = paired_bootstrap(gains, sizes, seed=0)
        scores = self.score(treebank, a, metric, scored) - self.score(treebank, b, metric, scored)
        return Difference(scores, interval, p)

    def sign_test(self, a: str, b: str, metric: str, scored: str) -> tuple[int, int, float]:
        """Treebanks on which `a` is better, those on which it is worse, and the two-sided p.

        The sign test over data sets (Demšar 2006, section 3.1.4), of the same arithmetic as
        McNemar's.
        """
        gains = [
            (self.score(name, a, metric, scored) - self.score(name, b, metric, scored)).mean
            for name in self.treebanks
        ]
        n_better, n_worse = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        return n_better, n_worse, mcnemar(n_better, n_worse)[0]

    def measures(self, treebank: str, variant: str) -> list[dict[str, Any]]:
        """What the runs' measures answered, seed by seed."""
        return [self._results[treebank, variant, seed].measured for seed in self.seeds]

    def _counts(self, treebank: str, variant: str, scored: str) -> list[Counts]:
        return [self._results[treebank, variant, seed].test[scored] for seed in self.seeds]
