"""The experiment of Honnibal & Johnson (2015) on invented treebanks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dodona_papers.experiments import honnibal_johnson_2015 as paper
from dodona_papers.experiments.honnibal_johnson_2015 import PAPER
from dodona_papers.running.grid import load_results
from dodona_papers.running.runs import Result
from support.split_treebanks import write_split


def results_in(folder: Path) -> list[Result]:
    return load_results(folder / f"{PAPER.name}.runs.jsonl", Result.from_record)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sizes = {"train": 60, "dev": 10, "test": 30}
    return write_split(tmp_path_factory.mktemp("data"), ["xx_oak"], sizes)


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a quick report under every condition."""
    out = tmp_path_factory.mktemp("out")
    PAPER.run(data, out=out, quick=True)
    return out


@pytest.mark.thorough
def test_every_system_is_run_under_every_condition(finished: Path) -> None:
    results = results_in(finished)
    assert [result.variant for result in results] == [*paper.VARIANTS] * len(paper.CONDITIONS)
    for result in results:
        system, root = result.settings["system"], result.settings["root"]
        assert result.variant == (system if root == "auto" else "arc-eager, no root")
    assert {result.settings["features"] for result in results} == {"rich"}
    by_condition = [results[i : i + 5] for i in range(0, len(results), 5)]
    assert [bool(runs[0].settings["clusters"]) for runs in by_condition] == [False, True, False]
    assert [runs[0].settings["tags"] for runs in by_condition] == ["gold", "gold", "predicted"]


def test_the_report_has_the_papers_figures_and_ours(finished: Path) -> None:
    page = (finished / f"{PAPER.name}.md").read_text(encoding="utf-8")
    for title in paper.CONDITIONS.values():
        assert title in page
    for figure in ("91.25", "91.85", "+0.60", "89.40", "89.91", "+0.51"):  # Table 2
        assert figure in page
    results = results_in(finished)
    for result in results:
        assert f"{result.test['words'].score('uas'):.2f}" in page
        assert f"{result.test['words'].score('las'):.2f}" in page


def test_repairs_are_made_only_by_the_systems_that_have_them(finished: Path) -> None:
    kinds: dict[str, set[str]] = {name: set() for name in paper.VARIANTS}
    for result in results_in(finished):
        assert result.measured["n_transitions"] >= result.measured["n_words"]
        kinds[result.variant] |= {kind for kind, _, _ in result.measured["repairs"]}
    assert kinds["arc-eager"] == kinds["arc-eager, no root"] == set()
    assert kinds["arc-eager-tree"] <= {"UNSHIFT"}
    assert kinds["nonmonotonic-2013"] <= {"LEFT-ARC over a head", "REDUCE with a new head"}
    assert kinds["nonmonotonic"] <= {"LEFT-ARC over a head", "UNSHIFT"}
    assert any(kinds.values())


def test_figures_come_for_machines_too(finished: Path) -> None:
    found = json.loads((finished / f"{PAPER.name}.json").read_text(encoding="utf-8"))
    assert list(found["conditions"]) == list(paper.CONDITIONS)
    assert found["paper"] == paper.TABLE_2


def test_conditions_can_be_chosen(data: Path, tmp_path: Path) -> None:
    PAPER.run(data, out=tmp_path, quick=True, epochs=1, conditions=["gold"])
    results = results_in(tmp_path)
    assert [result.variant for result in results] == list(paper.VARIANTS)
    assert {len(result.curve) for result in results} == {1}
    page = (tmp_path / f"{PAPER.name}.md").read_text(encoding="utf-8")
    assert "Gold tags" in page and paper.CONDITIONS["predicted"] not in page
