"""What runs say together."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.settings import Settings
from dodona_papers.reporting.summary import Summary
from dodona_papers.running.data import find_treebanks
from dodona_papers.running.runs import list_jobs


def test_the_difference_of_one_seed_is_the_paired_bootstrap(two_treebanks: Path) -> None:
    treebank = find_treebanks(two_treebanks)[0]
    variants = {name: Settings(epochs=2, training=name) for name in ("static", "explore")}
    summary = Summary([job.run() for job in list_jobs([treebank], variants, [1])])
    gold = list(dodona.read(treebank.part("test")))
    a, b = (
        list(dodona.train(treebank.part("train"), epochs=2, training=name, tags="gold").pipe(gold))
        for name in ("explore", "static")
    )
    expected = dodona.compare(gold, a, b, test="bootstrap", punctuation=False)
    found = summary.difference("eu_oak", "explore", "static", "las", "words")
    assert found.score.mean == pytest.approx(expected.difference)
    assert (found.interval, found.p) == (expected.interval, expected.p)
