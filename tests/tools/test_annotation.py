"""The simulated annotator of bench/annotation.py: what it counts, and what parsers learn from."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import dodona
from dodona.synthetic.generator import synthetic_treebank

BENCH = Path(__file__).parents[2] / "bench"
OAKS = dodona.Sentence.from_columns(
    ["Old", "oaks", "speak"], heads=[2, 3, 0], deprels=["amod", "nsubj", "root"]
)
CROSSED = dodona.Sentence.from_columns(
    ["a", "b", "c", "d"], heads=[3, 4, 0, 3], deprels=["x", "x", "root", "x"]
)


@pytest.fixture(params=["annotator", "annotating", "annotation", "annotation_report"])
def module(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load(request.param, monkeypatch)


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    return import_module(name)


class Guesser:
    """A parser whose guesses are wrong wherever nothing is given."""

    def __init__(self, right: tuple[int, ...] = ()) -> None:
        self.right, self.asked = right, list[dodona.Given]()

    def parse(self, sentence: dodona.Sentence, *, given: dodona.Given) -> dodona.Sentence:
        self.asked.append(given)
        kept = {*given.heads, *self.right}
        labels = [label if i in kept else "wrong" for i, label in enumerate(sentence.deprels, 1)]
        return sentence.replace(deprels=labels)


def test_an_arc_that_is_set_without_a_guess_is_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    annotator = load("annotator", monkeypatch)
    worker, item = annotator.Annotator(), annotator.Item(OAKS)
    worker.annotate(item, [1, 3])
    assert worker.effort == annotator.Effort(n_set=2, n_glances=1, n_judged=2)
    assert item.tree().heads == [2, None, 0]
    assert item.tree().deprels == ["amod", "_", "root"]


def test_only_wrong_guesses_are_decisions_and_are_given_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    annotator = load("annotator", monkeypatch)
    worker, item, parser = annotator.Annotator(), annotator.Item(OAKS), Guesser(right=(2,))
    worker.correct(item, [1, 2, 3], parser)
    assert worker.effort == annotator.Effort(n_set=2, n_glances=1, n_judged=3)
    assert [sorted(given.heads) for given in parser.asked] == [[], [1], [1, 2, 3]]
    assert item.tree() == OAKS


def test_arcs_that_cross_are_annotated_but_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    annotator = load("annotator", monkeypatch)
    item = annotator.Item(CROSSED, known={1, 2, 3, 4})
    assert [*item.given().heads] == [4]
    assert item.tree() == CROSSED


@pytest.mark.thorough
def test_constrained_parsing_annotates_the_same_trees_with_fewer_decisions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strategies, script = load("annotating", monkeypatch), load("annotation", monkeypatch)
    made = [dodona.Sentence.from_columns(**one._asdict()) for one in synthetic_treebank(60, seed=1)]
    pool, dev = made[:40], made[40:]
    limits, n_words = strategies.Limits(30), sum(map(len, pool[:30]))
    ends = {}
    for strategy in strategies.STRATEGIES:
        place = strategies.Workplace(pool, strategy, seed=1)
        *_, ends[strategy.name] = script.run(place, dev, limits)
        assert len(place.visited) == 30
        for item in place.visited:
            assert item.tree() == item.gold, "each strategy ends with whole trees"
    full, constrained = ends["full annotation"], ends["constrained parsing"]
    assert full.effort.n_set == full.effort.n_judged == constrained.effort.n_judged == n_words
    assert full.las == constrained.las
    assert 0 < constrained.effort.n_set < n_words / 2
    assert ends["partial trees"].effort.n_set == n_words, "without guesses, every arc is set"
    assert ends["partial trees"].effort.n_glances > 30, "sentences are visited again"


@pytest.mark.parametrize("choice", ["least sure", "most errors expected", "most disputed"])
def test_every_choice_of_sentences_ends_with_whole_trees(
    choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategies = load("annotating", monkeypatch)
    assert choice in strategies.CHOICES
    made = [dodona.Sentence.from_columns(**one._asdict()) for one in synthetic_treebank(14, seed=2)]
    place = strategies.Workplace(made, strategies.Strategy("chosen", choice=choice), seed=1)
    assert len([*place.rounds(strategies.Limits(12))]) == 3
    assert len(place.visited) == 12
    assert place.visited[:5] == place.items[:5], "the first round has no parser to choose by"
    assert place.annotator.effort.n_set == sum(len(item.gold) for item in place.visited)


def test_the_examples_hold(module: ModuleType) -> None:
    import doctest

    assert doctest.testmod(module).failed == 0


def test_the_report_gives_the_decisions_that_reach_full_annotation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = load("annotation_report", monkeypatch)

    def points(strategy: str, *found: tuple[int, float]) -> list[dict[str, object]]:
        about = {"treebank": "xx", "scorer": "linear", "strategy": strategy, "seed": 1, "full": 100}
        return [
            about | {"effort": {"n_set": n, "n_glances": 5, "n_judged": 2 * n}, "las": las}
            for n, las in found
        ]

    ((_, strategies),) = report.grouped(
        [
            *points("full annotation", (10, 70.0), (100, 80.0)),
            *points("constrained parsing", (20, 70.0), (30, 90.0)),
            *points("partial trees", (20, 70.0), (30, 79.0)),
        ]
    ).items()
    assert [row[1:] for row in report.rows("xx", strategies)] == [
        [80.0, 72.04, "100%", "105%", "200%"],
        [90.0, 86.67, "25%", "30%", "50%"],
        [79.0, 77.5, "not reached", "not reached", "not reached"],
    ]
