"""The experiment on swaps: its counts against other ways to count, and a whole report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import dodona
from dodona.experiments.papers.nivre_2009 import experiment as paper
from dodona.experiments.papers.nivre_2009.swaps import (
    ORACLES,
    count_swaps,
    fewest_swaps,
    n_swaps,
    small_trees,
)
from dodona.experiments.registry import EXPERIMENTS
from dodona.experiments.reporting.summary import Summary
from dodona.experiments.running.grid import load_results
from dodona.experiments.running.runs import count
from reference.swap import Swap
from reference.trees import all_trees, is_projective
from support.small import train, treebank

SIZES = {"train": 60, "dev": 15, "test": 40}


def sentences(size: int, seed: int) -> list[dodona.Sentence]:
    return treebank(size, seed, 0.4)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two treebanks with many crossing arcs, one of a language of the paper."""
    folder = tmp_path_factory.mktemp("data")
    for i, name in enumerate(["tr_oak", "xx_elm"]):
        (folder / name).mkdir()
        for j, (part, size) in enumerate(SIZES.items()):
            text = "".join(map(str, sentences(size, 10 * i + j)))
            (folder / name / f"{part}.conllu").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "SETTINGS", replace(paper.SETTINGS, epochs=3, explore_after=1))
        patch.setattr(paper, "SMALL_TREES", 4)
        paper.run(data, out=out)
    return out


def fewest_by_twin(heads: tuple[int, ...]) -> int:
    """Breadth-first over the slow twin's states, one swap more at a time."""
    twin, n = Swap(("_",)), len(heads)
    level, count = {twin.start(n)}, 0
    while True:
        seen = set(level)
        todo = list(level)
        swapped = set()
        while todo:
            state = todo.pop()
            if twin.is_final(state) and {(h, d) for h, _, d in state.arcs} == {
                (head, word) for word, head in enumerate(heads, 1)
            }:
                return count
            for action in twin.valid(state):
                after = twin.step(state, action)
                if "SWAP" in action:
                    swapped.add(after)
                elif after not in seen:
                    seen.add(after)
                    todo.append(after)
        level, count = swapped - seen, count + 1


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_fewest_swaps_are_those_of_exhaustive_search(n: int) -> None:
    for heads in all_trees(n):
        assert fewest_swaps(heads) == fewest_by_twin(heads)
        assert (fewest_swaps(heads) == 0) == is_projective(heads)


def test_swaps_on_all_trees_of_five_words() -> None:
    counts = {"eager": 1918, "lazy": 1708, "minimal": 1665, "fewest": 1560}
    assert small_trees(5)[5] == counts


def test_swaps_of_a_treebank_are_the_sums_over_its_sentences(data: Path) -> None:
    path = data / "tr_oak" / "train.conllu"
    found = count_swaps(path)
    trees = [sentence.heads for sentence in dodona.read(path)]
    for oracle in ORACLES:
        assert found.n_swaps[oracle] == sum(n_swaps(heads, oracle) for heads in trees) > 0
        short = [heads for heads in trees if len(heads) <= 5]
        n_transitions = sum(2 * len(heads) + 2 * n_swaps(heads, oracle) for heads in short)
        assert found.per_word[oracle][0] == pytest.approx(n_transitions / sum(map(len, short)))
    eager, lazy = found.n_swaps["eager"], found.n_swaps["lazy"]
    assert found.reduction == pytest.approx(100 * (1 - lazy / eager))


def test_non_projective_counts_are_those_of_evaluate_but_with_labels() -> None:
    gold = sentences(80, 4)
    parsed = list(train(gold, system="swap", features="rich-stack", epochs=3).pipe(gold))
    unlabelled = dodona.evaluate(gold, parsed).nonprojective
    found = count(gold, parsed, punctuation=True)
    assert found.nonprojective[:2] == [unlabelled.n_gold, unlabelled.n_system]
    assert 0 < found.recall <= unlabelled.recall
    assert 0 < found.precision <= unlabelled.precision
    assert min(found.precision, found.recall) <= found.f1 <= max(found.precision, found.recall)
    perfect = count(gold, gold, punctuation=True)
    assert (perfect.precision, perfect.recall, perfect.f1) == (100, 100, 100)


def test_the_report_holds_both_tables_and_the_papers_figures(finished: Path) -> None:
    text = (finished / "nivre-2009.md").read_text(encoding="utf-8")
    summary = Summary(load_results(finished / "nivre-2009.runs.jsonl"))
    assert (summary.treebanks, summary.variants) == (["tr_oak", "xx_elm"], list(paper.VARIANTS))
    for variant in paper.VARIANTS:
        for metric in paper.METRICS:
            assert str(summary.average(variant, metric, "words")) in text
    assert "2,828" in text and "79.3" in text and "nivre-2009-transitions.svg" in text
    assert (finished / "nivre-2009-transitions.svg").exists()
    figures = json.loads((finished / "nivre-2009.json").read_text(encoding="utf-8"))
    for score in figures["nonprojective"]:
        key = score["treebank"], score["variant"], score["metric"], "words"
        assert tuple(score["by_seed"]) == summary.score(*key).by_seed
    assert set(figures["swaps"]) == {"tr_oak", "xx_elm"}


def test_only_arc_eager_without_lifting_builds_no_crossing_arc(finished: Path) -> None:
    summary = Summary(load_results(finished / "nivre-2009.runs.jsonl"))
    for variant in paper.VARIANTS:
        assert (summary.average(variant, "recall", "all").mean > 0) == (variant != "projective")


def test_the_quick_run_is_one_treebank(data: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(paper, "SMALL_TREES", 3)
    EXPERIMENTS["nivre-2009"](data, None, 3, tmp_path, True)
    results = load_results(tmp_path / "nivre-2009.runs.jsonl")
    assert {(result.treebank, len(result.curve)) for result in results} == {("tr_oak", 2)}
    with pytest.raises(ValueError, match="at least one seed"):
        paper.run(data, seeds=0)


def test_table_1_has_the_reductions_that_the_paper_prints() -> None:
    printed = {"ar": 83.8, "cs": 55.0, "da": 82.0, "sl": 68.5, "tr": 55.7}
    eager, lazy = paper.TABLE_1["eager"], paper.TABLE_1["lazy"]
    # Czech is 54.0 by the counts that the paper gives, not the 55.0 it prints
    found = {code: 100 * (1 - lazy[code] / eager[code]) for code in printed}
    assert {c: round(r, 1) for c, r in found.items()} == {**printed, "cs": 54.0}
