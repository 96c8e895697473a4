"""Counts sentence by sentence are those of `dodona.evaluate`."""

from __future__ import annotations

import pytest

import dodona
from dodona_papers.running.counts import count
from support.small import train, treebank


@pytest.mark.parametrize("punctuation", [True, False])
def test_attachment_is_that_of_evaluate(punctuation: bool) -> None:
    gold = treebank(60, 2, 0.3)
    parsed = list(train(treebank(40, 1), epochs=1).pipe(gold))
    scores = dodona.evaluate(gold, parsed, punctuation=punctuation)
    counts = count(gold, parsed, punctuation=punctuation)
    assert (counts.score("uas"), counts.score("las")) == (scores.uas, scores.las)
    assert sum(counts.n_words) == scores.n_words
    assert scores.uas > scores.las


def test_non_projective_arcs_are_those_of_evaluate_but_with_labels() -> None:
    gold = treebank(80, 4, 0.4)
    parsed = list(train(gold, system="swap", features="rich-stack", epochs=3).pipe(gold))
    unlabelled = dodona.evaluate(gold, parsed).nonprojective
    found = count(gold, parsed, punctuation=True)
    assert found.nonprojective[:2] == [unlabelled.n_gold, unlabelled.n_system]
    precision, recall, f1 = map(found.score, ("precision", "recall", "f1"))
    assert 0 < recall <= unlabelled.recall
    assert 0 < precision <= unlabelled.precision
    assert min(precision, recall) <= f1 <= max(precision, recall)
    perfect = count(gold, gold, punctuation=True)
    assert [perfect.score(name) for name in ("precision", "recall", "f1")] == [100, 100, 100]


def test_where_gold_has_no_label_any_is_right() -> None:
    (gold,) = treebank(1, 3)
    bare = gold.replace(deprels=["_"] * len(gold))
    assert count([bare], [gold], punctuation=True).score("las") == 100
    assert count([gold], [bare], punctuation=True).score("las") == 0
