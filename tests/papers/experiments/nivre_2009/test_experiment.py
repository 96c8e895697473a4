"""The experiment on swaps: a whole report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dodona_papers.experiments.nivre_2009 import experiment as paper
from dodona_papers.experiments.nivre_2009.arcs import BESIDE, CROSSING, NEEDLESS, PLAIN, lost_arcs
from dodona_papers.experiments.nivre_2009.experiment import PAPER
from dodona_papers.reporting.summary import Summary
from dodona_papers.running.grid import load_results
from dodona_papers.running.runs import Result
from support.small import treebank

SIZES = {"train": 60, "dev": 15, "test": 40}


def results_in(folder: Path) -> list[Result]:
    return load_results(folder / f"{PAPER.name}.runs.jsonl", Result.from_record)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two treebanks with many crossing arcs, one of a language of the paper."""
    folder = tmp_path_factory.mktemp("data")
    for i, name in enumerate(["tr_oak", "xx_elm"]):
        (folder / name).mkdir()
        for j, (part, size) in enumerate(SIZES.items()):
            text = b"".join(map(bytes, treebank(size, 10 * i + j, 0.4))).decode()
            (folder / name / f"{part}.conllu").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "SMALL_TREES", 4)
        PAPER.run(data, out=out, epochs=3)
    return out


@pytest.mark.thorough
def test_the_report_holds_both_tables_and_the_papers_figures(finished: Path) -> None:
    text = (finished / "nivre-2009.md").read_text(encoding="utf-8")
    summary = Summary(results_in(finished))
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
    summary = Summary(results_in(finished))
    for variant in paper.VARIANTS:
        assert (summary.average(variant, "recall", "all").mean > 0) == (variant != "projective")


def test_every_arc_is_of_one_kind_of_one_distance_and_of_one_label(finished: Path) -> None:
    for result in results_in(finished):
        counts = result.test["words"].attachment
        arcs = result.measured["arcs"]
        kinds = {CROSSING, BESIDE, PLAIN}
        for chosen in (
            [arcs[kind] for kind in arcs if kind in kinds],
            [arcs[kind] for kind in arcs if kind.startswith("distance ")],
            [arcs[kind] for kind in arcs if kind.startswith("label ")],
        ):
            sums = [sum(column) for column in zip(*chosen, strict=True)]
            assert sums == [counts.n_words, counts.n_labelled]
        assert arcs[CROSSING] == [result.test["words"].nonprojective[i] for i in (0, 2)]
        assert (NEEDLESS in arcs) <= (result.variant != "projective")


def test_differences_of_kinds_add_up_to_that_of_las(finished: Path) -> None:
    summary = Summary(results_in(finished))
    table = lost_arcs(summary, "xx_elm", paper.LOST, "pseudo")
    by_kind = [row[-1] for row in table.rows if row[0] in (CROSSING, BESIDE, PLAIN)]
    gains = [float(cell.partition("(")[2].rstrip(")")) for cell in by_kind]
    scores = [summary.score("xx_elm", v, "las", "words").mean for v in ("explore", "pseudo")]
    assert sum(gains) == pytest.approx(scores[0] - scores[1], abs=0.02)


def test_the_quick_run_is_one_treebank(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper, "SMALL_TREES", 3)
    PAPER.run(data, out=tmp_path, quick=True)
    results = results_in(tmp_path)
    assert {(result.treebank, len(result.curve)) for result in results} == {("tr_oak", 2)}


def test_table_1_has_the_reductions_that_the_paper_prints() -> None:
    printed = {"ar": 83.8, "cs": 55.0, "da": 82.0, "sl": 68.5, "tr": 55.7}
    eager, lazy = paper.TABLE_1["eager"], paper.TABLE_1["lazy"]
    # Czech is 54.0 by the counts that the paper gives, not the 55.0 it prints
    found = {code: 100 * (1 - lazy[code] / eager[code]) for code in printed}
    assert {c: round(r, 1) for c, r in found.items()} == {**printed, "cs": 54.0}
