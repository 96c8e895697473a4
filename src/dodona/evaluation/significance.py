"""Is one system better than another, or lucky?

McNemar's test (1947) asks of the words that only one system has right whether they fall evenly;
the paired bootstrap (Koehn 2004) resamples whole sentences, so words may depend on one another.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Literal

from dodona.evaluation.counts import percentage
from dodona.evaluation.pairs import EvaluationError, Pair, Progress, Treebank, load, pair
from dodona.evaluation.resample import resampled_means
from dodona.evaluation.table import new_table, percent, render
from dodona.evaluation.tally import is_right, label_reader
from dodona.evaluation.text_scores import right_words

N_RESAMPLES = 10_000
# Below this many disagreements the chi-square approximation is too rough.
EXACT_BELOW = 25


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `compare` found; scores and differences in percent, unrounded."""

    metric: str
    test: str
    method: str  # the test in words
    score_a: float
    score_b: float
    difference: float  # A minus B
    n_only_a: int  # words that A has right and B wrong
    n_only_b: int
    interval: tuple[float, float] | None  # of the difference, 95%; the bootstrap's
    p: float

    def table(self) -> str:
        """The comparison for people."""
        return _render(self)

    def to_dict(self) -> dict[str, Any]:
        """The comparison for machines: ready for `json.dumps`."""
        return asdict(self)


def compare(
    gold: Treebank,
    system_a: Treebank,
    system_b: Treebank,
    *,
    metric: Literal["uas", "las"] = "las",
    test: Literal["mcnemar", "bootstrap"] = "mcnemar",
    seed: int = 0,
    punctuation: bool = True,
    punctuation_by: str = "auto",
    labels: Literal["exact", "universal"] = "exact",
    progress: Progress | None = None,
) -> Comparison:
    """Test whether two systems differ on the same gold trees; p is two-sided.

    `seed` is the bootstrap's; what counts as a word and as the same label is as in `evaluate`.

    >>> from types import SimpleNamespace as Sentence
    >>> words = dict(forms=["Oaks", "speak"], upos=["NOUN", "VERB"], deprels=["nsubj", "root"])
    >>> right, wrong = Sentence(**words, heads=[2, 0]), Sentence(**words, heads=[0, 1])
    >>> result = compare([right] * 4, [right] * 4, [wrong] * 4, metric="uas")
    >>> result.difference, result.n_only_a, result.p
    (100.0, 8, 0.0078125)
    """
    if metric not in ("uas", "las"):
        raise ValueError(f"metric={metric!r}: expected 'uas' or 'las'")
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
    outcomes = Counter(zip(chain.from_iterable(a), chain.from_iterable(b), strict=True))
    n_only_a, n_only_b = outcomes[True, False], outcomes[False, True]
    interval = None
    if test == "mcnemar":
        p, method = mcnemar(n_only_a, n_only_b)
    else:
        gains = [sum(x) - sum(y) for x, y in zip(a, b, strict=True)]
        interval, p = paired_bootstrap(gains, sizes, seed=seed)
        method = f"paired bootstrap, {N_RESAMPLES:,} resamples, seed {seed}"
    return Comparison(
        metric=metric,
        test=test,
        method=method,
        score_a=percentage(sum(map(sum, a)), sum(sizes)),
        score_b=percentage(sum(map(sum, b)), sum(sizes)),
        difference=percentage(n_only_a - n_only_b, sum(sizes)),
        n_only_a=n_only_a,
        n_only_b=n_only_b,
        interval=interval,
        p=p,
    )


def compare_text(
    gold: Treebank,
    system_a: Treebank,
    system_b: Treebank,
    *,
    metric: Literal["uas", "las"] = "las",
    progress: Progress | None = None,
) -> Comparison:
    """Test whether two systems that split the text by themselves differ (McNemar's test).

    The scores are recall: of the gold words, those that a system has, with the right head and
    relation. A word that it split otherwise is wrong.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> compare_text([oaks], [oaks], [oaks.replace(deprels=["obj", "root"])]).difference
    50.0
    """
    if metric not in ("uas", "las"):
        raise ValueError(f"metric={metric!r}: expected 'uas' or 'las'")
    a, b = (right_words(gold, system, metric, progress) for system in (system_a, system_b))
    n_only_a, n_only_b = (
        sum(x and not y for x, y in zip(*both, strict=True)) for both in ((a, b), (b, a))
    )
    p, method = mcnemar(n_only_a, n_only_b)
    return Comparison(
        metric=metric,
        test="mcnemar",
        method=f"{method}, over gold words",
        score_a=percentage(sum(a), len(a)),
        score_b=percentage(sum(b), len(b)),
        difference=percentage(n_only_a - n_only_b, len(a)),
        n_only_a=n_only_a,
        n_only_b=n_only_b,
        interval=None,
        p=p,
    )


def mcnemar(n_only_a: int, n_only_b: int) -> tuple[float, str]:
    """Two-sided p and how it was computed, from the words that only one system has right.

    >>> mcnemar(1, 9)
    (0.021484375, "McNemar's test, exact")
    """
    n = n_only_a + n_only_b
    if n < EXACT_BELOW:
        tail = sum(math.comb(n, k) for k in range(min(n_only_a, n_only_b) + 1))
        return min(1.0, 2 * tail / 2**n), "McNemar's test, exact"
    excess = max(0, abs(n_only_a - n_only_b) - 1)  # continuity correction (Edwards 1948)
    # chi-square with one degree of freedom is a squared normal
    p = math.erfc(math.sqrt(excess * excess / n / 2))
    return p, "McNemar's test, chi-square with continuity correction"


def paired_bootstrap(
    gains: Sequence[int], sizes: Sequence[int], *, seed: int
) -> tuple[tuple[float, float], float]:
    """The difference's 95% interval, in percent, and its two-sided p.

    Sentence i has `sizes[i]` words, of which A has `gains[i]` more right than B. p is twice the
    share of resamples in which the worse system is not worse, counting the data as one resample.

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
    """For each word that counts, whether the system has it right."""
    gold, system, words = sentence
    gold_heads, heads = gold.heads, system.heads
    if metric == "uas":
        return [gold_heads[i] == heads[i] for i in words]
    gold_labels, system_labels = gold.deprels, system.deprels
    return [
        gold_heads[i] == heads[i] and is_right(label(gold_labels[i]), label(system_labels[i]))
        for i in words
    ]


def _render(comparison: Comparison) -> str:
    """The two scores, their difference and what the test says."""
    name = comparison.metric.upper()
    table = new_table("", "")
    table.show_header = False
    table.add_row(f"{name} of A", percent(comparison.score_a))
    table.add_row(f"{name} of B", percent(comparison.score_b))
    table.add_row("A - B", f"{comparison.difference:+.2f}")
    if comparison.interval is not None:
        low, high = comparison.interval
        table.add_row("95% interval", f"{low:+.2f} to {high:+.2f}")
    table.add_row("right in A only", f"{comparison.n_only_a:,}")
    table.add_row("right in B only", f"{comparison.n_only_b:,}")
    table.add_row("p", "< 0.0001" if comparison.p < 0.0001 else f"{comparison.p:.4f}")
    return render([table, comparison.method])
