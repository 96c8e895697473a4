"""Significance of the difference between two systems.

McNemar's test (1947) considers the words that only one system has right; the paired bootstrap
(Koehn 2004) resamples whole sentences, so words need not be independent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Literal

from dodona.core.base.values import to_int
from dodona.evaluation.pairs import EvaluationError, OnProgress, Pair, ParsedSource, load, pair
from dodona.evaluation.resample import resampled_means
from dodona.evaluation.score_counts import percentage
from dodona.evaluation.table import new_table, percent, render
from dodona.evaluation.tally import is_right, label_reader
from dodona.evaluation.text_scores import right_words

N_RESAMPLES = 10_000
EXACT_BELOW = 25  # disagreements; the chi-square approximation is too rough for fewer


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of `compare`; scores and differences in percent, unrounded."""

    metric: str
    test: str
    method: str  # describes the test
    score_a: float
    score_b: float
    difference: float  # A minus B
    n_only_a: int  # words that A has right and B wrong
    n_only_b: int
    interval: tuple[float, float] | None  # of the difference, 95%; the bootstrap's
    p: float

    def table(self) -> str:
        """Return the scores, their difference and the result of the test as a table."""
        name = self.metric.upper()
        table = new_table("", "")
        table.show_header = False
        table.add_row(f"{name} of A", percent(self.score_a))
        table.add_row(f"{name} of B", percent(self.score_b))
        table.add_row("A - B", f"{self.difference:+.2f}")
        if self.interval is not None:
            low, high = self.interval
            table.add_row("95% interval", f"{low:+.2f} to {high:+.2f}")
        table.add_row("right in A only", f"{self.n_only_a:,}")
        table.add_row("right in B only", f"{self.n_only_b:,}")
        table.add_row("p", "< 0.0001" if self.p < 0.0001 else f"{self.p:.4f}")
        return render([table, self.method])

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dictionary, ready for `json.dumps`."""
        return asdict(self)


def compare(
    gold: ParsedSource,
    system_a: ParsedSource,
    system_b: ParsedSource,
    *,
    metric: Literal["uas", "las"] = "las",
    test: Literal["mcnemar", "bootstrap"] = "mcnemar",
    seed: int = 0,
    punctuation: bool = True,
    punctuation_by: str = "auto",
    labels: Literal["exact", "universal"] = "exact",
    progress: OnProgress | None = None,
) -> Comparison:
    """Test whether two systems differ on the same gold trees; p is two-sided.

    `seed` is that of the bootstrap; the other options are as in `evaluate`.

    >>> from types import SimpleNamespace as Sentence
    >>> words = dict(forms=["Oaks", "speak"], upos=["NOUN", "VERB"], deprels=["nsubj", "root"])
    >>> right, wrong = Sentence(**words, heads=[2, 0]), Sentence(**words, heads=[0, 1])
    >>> result = compare([right] * 4, [right] * 4, [wrong] * 4, metric="uas")
    >>> result.difference, result.n_only_a, result.p
    (100.0, 8, 0.0078125)
    """
    _check_metric(metric)
    if test not in ("mcnemar", "bootstrap"):
        raise ValueError(f"test={test!r}: expected 'mcnemar' or 'bootstrap'")
    label = label_reader(labels)
    sentences = load(gold)
    options: Any = {"punctuation": punctuation, "punctuation_by": punctuation_by}
    options["progress"] = progress
    a, b = (
        [
            _right_words(p, metric, label)
            for p in pair(sentences, load(system), name=name, **options)
        ]
        for system, name in ((system_a, "system A"), (system_b, "system B"))
    )
    sizes = [len(words) for words in a]
    if not any(sizes):
        raise EvaluationError("no gold word to score: each lacks a head or is punctuation")
    found = _mcnemar(metric, list(chain.from_iterable(a)), list(chain.from_iterable(b)))
    if test == "mcnemar":
        return found
    gains = [sum(x) - sum(y) for x, y in zip(a, b, strict=True)]
    seed = to_int(seed, "seed")
    interval, p = paired_bootstrap(gains, sizes, seed=seed)
    method = f"paired bootstrap, {N_RESAMPLES:,} resamples, seed {seed}"
    return replace(found, test=test, method=method, interval=interval, p=p)


def compare_text(
    gold: ParsedSource,
    system_a: ParsedSource,
    system_b: ParsedSource,
    *,
    metric: Literal["uas", "las"] = "las",
    progress: OnProgress | None = None,
) -> Comparison:
    """Test whether two systems that segmented the text themselves differ (McNemar's test).

    The scores are recall: the share of gold words that a system has, with the right head and
    relation. A word that it segmented differently is wrong.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> compare_text([oaks], [oaks], [oaks.replace(deprels=["obj", "root"])]).difference
    50.0
    """
    _check_metric(metric)
    a, b = (right_words(gold, system, metric, progress) for system in (system_a, system_b))
    found = _mcnemar(metric, a, b)
    return replace(found, method=f"{found.method}, over gold words")


def _check_metric(metric: str) -> None:
    if metric not in ("uas", "las"):
        raise ValueError(f"metric={metric!r}: expected 'uas' or 'las'")


def _mcnemar(metric: str, a: list[bool], b: list[bool]) -> Comparison:
    """Compare two systems by the words that each has right."""
    outcomes = Counter(zip(a, b, strict=True))
    n_only_a, n_only_b = outcomes[True, False], outcomes[False, True]
    p, method = mcnemar(n_only_a, n_only_b)
    return Comparison(
        metric=metric,
        test="mcnemar",
        method=method,
        score_a=percentage(sum(a), len(a)),
        score_b=percentage(sum(b), len(b)),
        difference=percentage(n_only_a - n_only_b, len(a)),
        n_only_a=n_only_a,
        n_only_b=n_only_b,
        interval=None,
        p=p,
    )


def mcnemar(n_only_a: int, n_only_b: int) -> tuple[float, str]:
    """Return the two-sided p and the method, given the words that only one system has right.

    >>> mcnemar(1, 9)
    (0.021484375, "McNemar's test, exact")
    """
    n = n_only_a + n_only_b
    if n < EXACT_BELOW:
        tail = sum(math.comb(n, k) for k in range(min(n_only_a, n_only_b) + 1))
        return min(1.0, 2 * tail / 2**n), "McNemar's test, exact"
    excess = max(0, abs(n_only_a - n_only_b) - 1)  # continuity correction (Edwards 1948)
    # chi-square with one degree of freedom is the square of a normal variable
    p = math.erfc(math.sqrt(excess * excess / n / 2))
    return p, "McNemar's test, chi-square with continuity correction"


def paired_bootstrap(
    gains: Sequence[int], sizes: Sequence[int], *, seed: int
) -> tuple[tuple[float, float], float]:
    """Return the 95% interval of the difference, in percent, and its two-sided p.

    Sentence i has `sizes[i]` words, of which A has `gains[i]` more right than B. p is twice the
    share of resamples in which the worse system is not worse, with the data as one resample.

    >>> paired_bootstrap([1, 1, 1], [10, 10, 10], seed=0)[0]
    (10.0, 10.0)
    """
    scored = [(gain, size) for gain, size in zip(gains, sizes, strict=True) if size]
    means = sorted(
        resampled_means([g for g, _ in scored], [s for _, s in scored], N_RESAMPLES, seed)
    )
    cut = N_RESAMPLES // 40
    interval = (100 * means[cut], 100 * means[-1 - cut])
    n_not_above = sum(mean <= 0 for mean in means)
    n_not_below = sum(mean >= 0 for mean in means)
    p = min(1.0, 2 * (min(n_not_above, n_not_below) + 1) / (N_RESAMPLES + 1))
    return interval, p


def _right_words(sentence: Pair, metric: str, label: Callable[[str], str]) -> list[bool]:
    """Return for each scored word whether the system has it right."""
    gold, system, words = sentence
    gold_heads, heads = gold.heads, system.heads
    if metric == "uas":
        return [gold_heads[i] == heads[i] for i in words]
    gold_labels, system_labels = gold.deprels, system.deprels
    return [
        gold_heads[i] == heads[i] and is_right(label(gold_labels[i]), label(system_labels[i]))
        for i in words
    ]
