"""Tests of significance: by hand, against plain Python, and on chance itself."""

import json
import math
import random
from types import SimpleNamespace

import pytest

from dodona.evaluation import EvaluationError, compare, evaluate
from dodona.evaluation.resample import resampled_means
from dodona.evaluation.significance import mcnemar, paired_bootstrap


def sentence(heads, labels=None):
    n = len(heads)
    labels = labels or ["dep"] * n
    return SimpleNamespace(forms=["la"] * n, upos=["X"] * n, heads=heads, deprels=labels)


def noisy(gold, error_rate, seed):
    """The gold trees with a share of their heads replaced by wrong ones."""
    rng = random.Random(seed)
    return [
        sentence([head + 1 if rng.random() < error_rate else head for head in tree.heads])
        for tree in gold
    ]


GOLD = [sentence([0] * (1 + i % 20)) for i in range(300)]
GOOD, SAME, BAD = noisy(GOLD, 0.1, 1), noisy(GOLD, 0.1, 2), noisy(GOLD, 0.15, 3)


@pytest.mark.parametrize(
    ("n_only_a", "n_only_b", "p"),
    [
        (0, 0, 1),
        (0, 1, 1),
        (5, 5, 1),
        (0, 5, 2 / 32),
        (1, 9, 22 / 1024),
        (9, 1, 22 / 1024),
        (12, 12, 1),
    ],
)
def test_mcnemar_is_exact_for_few_disagreements(n_only_a, n_only_b, p):
    assert mcnemar(n_only_a, n_only_b) == (p, "McNemar's test, exact")


@pytest.mark.parametrize(
    ("n_only_a", "n_only_b", "p"),
    # chi-square 2.7, 9.025 and 0 with one degree of freedom, from tables
    [(10, 20, 0.1003), (59, 101, 0.0012), (40, 40, 1.0)],
)
def test_mcnemar_is_chi_square_with_continuity_correction_for_many(n_only_a, n_only_b, p):
    found, method = mcnemar(n_only_a, n_only_b)
    assert round(found, 4) == p
    assert "chi-square" in method


def test_exact_and_approximate_mcnemar_agree_at_the_boundary():
    def exact(a, b):
        return 2 * sum(math.comb(a + b, k) for k in range(min(a, b) + 1)) / 2 ** (a + b)

    for n_only_a in range(13):
        assert mcnemar(n_only_a, 25 - n_only_a)[0] == pytest.approx(
            min(1, exact(n_only_a, 25 - n_only_a)), abs=0.015
        )


def test_resampling_draws_sentences_like_plain_python_does():
    rng = random.Random(7)
    sizes = [rng.randint(1, 30) for _ in range(50)]
    gains = [rng.randint(-size, size) for size in sizes]
    means = resampled_means(gains, sizes, 20_000, seed=1)
    plain = []
    for _ in range(20_000):
        chosen = rng.choices(range(50), k=50)
        plain.append(sum(gains[i] for i in chosen) / sum(sizes[i] for i in chosen))
    for share in (0.025, 0.25, 0.5, 0.75, 0.975):
        expected = sorted(plain)[int(share * 20_000)]
        assert sorted(means)[int(share * 20_000)] == pytest.approx(expected, abs=0.01)


def test_resampling_draws_each_sentence_as_often():
    # one sentence of three gains: its mean number of draws is 1
    means = resampled_means([3, 0, 0], [1, 1, 1], 30_000, seed=3)
    assert sum(means) / 30_000 == pytest.approx(1, abs=0.02)
    # drawn 0, 1, 2 or 3 times with binomial probabilities 8, 12, 6 and 1 of 27
    for times, share in enumerate((8 / 27, 12 / 27, 6 / 27, 1 / 27)):
        assert means.count(times) / 30_000 == pytest.approx(share, abs=0.01)


def splitmix64(seed):
    """The generator in plain Python."""
    mask = 2**64 - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


@pytest.mark.parametrize("seed", [0, 42, -1, 2**70])
def test_a_seed_gives_the_same_resamples_on_every_machine(seed):
    numbers = splitmix64(seed)
    expected = [sum(10 * (next(numbers) >> 32) >> 32 for _ in range(10)) / 100 for _ in range(5)]
    assert resampled_means(list(range(10)), [10] * 10, 5, seed=seed) == expected


@pytest.mark.parametrize(("gains", "sizes"), [([], []), ([1], [1, 2]), ([1, 2], [1, 0])])
def test_resampling_nothing_is_an_error(gains, sizes):
    with pytest.raises(ValueError, match="at least one sentence"):
        resampled_means(gains, sizes, 10, seed=0)


def test_the_bootstrap_passes_over_sentences_without_scored_words():
    assert paired_bootstrap([1, 0, 1], [2, 0, 2], seed=0) == ((50, 50), 2 / 10_001)


@pytest.mark.parametrize("test", ["mcnemar", "bootstrap"])
@pytest.mark.parametrize("metric", ["uas", "las"])
def test_a_better_system_is_found_better_and_an_equal_one_is_not(metric, test):
    better = compare(GOLD, GOOD, BAD, metric=metric, test=test)
    assert better.difference > 0
    assert better.p < 0.001
    same = compare(GOLD, GOOD, SAME, metric=metric, test=test)
    assert same.p > 0.05
    itself = compare(GOLD, GOOD, GOOD, metric=metric, test=test)
    assert (itself.difference, itself.p) == (0, 1)


@pytest.mark.parametrize("test", ["mcnemar", "bootstrap"])
def test_the_systems_may_be_exchanged(test):
    there, back = compare(GOLD, GOOD, BAD, test=test), compare(GOLD, BAD, GOOD, test=test)
    assert there.difference == -back.difference
    assert (there.n_only_a, there.n_only_b) == (back.n_only_b, back.n_only_a)
    assert there.p == back.p
    if there.interval:
        assert there.interval == tuple(-end for end in reversed(back.interval))


def test_scores_are_those_of_evaluate():
    found = compare(GOLD, GOOD, BAD, metric="uas")
    assert found.score_a == evaluate(GOLD, GOOD).uas
    assert found.score_b == evaluate(GOLD, BAD).uas
    assert found.difference == pytest.approx(found.score_a - found.score_b)
    n_words = evaluate(GOLD, GOOD).n_words
    assert found.difference == 100 * ((found.n_only_a - found.n_only_b) / n_words)


def test_the_interval_is_near_that_of_a_normal_distribution():
    found = compare(GOLD, GOOD, BAD, test="bootstrap")
    low, high = found.interval
    assert low < found.difference < high
    # words err independently here: the variance is that of the disagreements
    n = evaluate(GOLD, GOOD).n_words
    error = 100 * math.sqrt(found.n_only_a + found.n_only_b) / n
    assert (high - low) / (2 * 1.96 * error) == pytest.approx(1, abs=0.1)


def test_labels_and_punctuation_are_as_in_evaluate():
    gold = [sentence([0, 1], ["root", "obl:agent"])]
    a, b = [sentence([0, 1], ["root", "obl:agent"])], [sentence([0, 1], ["root", "obl"])]
    assert compare(gold, a, b).n_only_a == 1
    assert compare(gold, a, b, metric="uas").n_only_a == 0
    assert compare(gold, a, b, labels="universal").n_only_a == 0
    gold[0].upos = ["X", "PUNCT"]
    assert compare(gold, a, b, punctuation=False).n_only_a == 0


def test_generators_will_do():
    assert compare(iter(GOLD), iter(GOOD), iter(BAD)) == compare(GOLD, GOOD, BAD)


def test_errors_say_which_system():
    with pytest.raises(EvaluationError, match="system B ends after 299 sentences"):
        compare(GOLD, GOOD, BAD[:-1])
    with pytest.raises(EvaluationError, match="no gold word to score"):
        compare([sentence([None])], [sentence([0])], [sentence([0])])
    with pytest.raises(ValueError, match="metric='clas': expected 'uas' or 'las'"):
        compare(GOLD, GOOD, BAD, metric="clas")
    with pytest.raises(ValueError, match="test='t': expected 'mcnemar' or 'bootstrap'"):
        compare(GOLD, GOOD, BAD, test="t")
    with pytest.raises(ValueError, match="labels='coarse'"):
        compare(GOLD, GOOD, BAD, labels="coarse")


def test_table_and_dictionary_hold_the_result():
    found = compare(GOLD, GOOD, BAD, test="bootstrap", seed=5)
    text = found.table()
    assert f"{found.score_a:.2f}" in text
    assert "paired bootstrap, 10,000 resamples, seed 5" in text
    assert "95% interval" in text
    assert "95% interval" not in compare(GOLD, GOOD, BAD).table()
    assert json.loads(json.dumps(found.to_dict()))["p"] == found.p
