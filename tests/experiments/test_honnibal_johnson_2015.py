"""The experiment of Honnibal & Johnson (2015) on invented treebanks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dodona.experiments.papers import honnibal_johnson_2015 as paper
from dodona.experiments.registry import EXPERIMENTS
from dodona.experiments.running.grid import load_results
from dodona.synthetic.generator import write_treebank

SCRIPT = Path(__file__).parents[1] / "experiments" / "honnibal_johnson_2015.py"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "xx_oak").mkdir()
    for seed, (part, size) in enumerate({"train": 60, "dev": 10, "test": 30}.items()):
        write_treebank(folder / "xx_oak" / f"{part}.conllu", size, seed=seed)
    return folder


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a quick report under every condition."""
    out = tmp_path_factory.mktemp("out")
    EXPERIMENTS[paper.NAME](data, None, 3, out, True)
    return out


def test_every_system_is_run_under_every_condition(finished: Path) -> None:
    results = load_results(finished / f"{paper.NAME}.runs.jsonl")
    assert [result.variant for result in results] == [*paper.VARIANTS] * len(paper.CONDITIONS)
    for result in results:
        system, root = result.settings["system"], result.settings["root"]
        assert result.variant == (system if root == "auto" else "arc-eager, no root")
    assert {result.settings["features"] for result in results} == {"rich"}
    by_condition = [results[i : i + 5] for i in range(0, len(results), 5)]
    assert [bool(runs[0].settings["clusters"]) for runs in by_condition] == [False, True, False]
    assert [runs[0].settings["tags"] for runs in by_condition] == ["gold", "gold", "predicted"]


def test_the_report_has_the_papers_figures_and_ours(finished: Path) -> None:
    page = (finished / f"{paper.NAME}.md").read_text(encoding="utf-8")
    for title in paper.CONDITIONS.values():
        assert title in page
    for figure in ("91.25", "91.85", "+0.60", "89.40", "89.91", "+0.51"):  # Table 2
        assert figure in page
    results = load_results(finished / f"{paper.NAME}.runs.jsonl")
    for result in results:
        assert f"{result.test['words'].uas:.2f}" in page
        assert f"{result.test['words'].las:.2f}" in page


def test_repairs_are_made_only_by_the_systems_that_have_them(finished: Path) -> None:
    kinds: dict[str, set[str]] = {name: set() for name in paper.VARIANTS}
    for result in load_results(finished / f"{paper.NAME}.runs.jsonl"):
        assert result.measured["n_transitions"] >= result.measured["n_words"]
        kinds[result.variant] |= {kind for kind, _, _ in result.measured["repairs"]}
    assert kinds["arc-eager"] == kinds["arc-eager, no root"] == set()
    assert kinds["arc-eager-tree"] <= {"UNSHIFT"}
    assert kinds["nonmonotonic-2013"] <= {"LEFT-ARC over a head", "REDUCE with a new head"}
    assert kinds["nonmonotonic"] <= {"LEFT-ARC over a head", "UNSHIFT"}
    assert any(kinds.values())


def test_figures_come_for_machines_too(finished: Path) -> None:
    found = json.loads((finished / f"{paper.NAME}.json").read_text(encoding="utf-8"))
    assert list(found["conditions"]) == list(paper.CONDITIONS)
    assert found["paper"] == paper.TABLE_2


def test_the_script_takes_conditions(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, SCRIPT, "--data", data, "--quick", "--out", tmp_path]
    done = subprocess.run([*command, "--conditions", "gold"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(load_results(tmp_path / f"{paper.NAME}.runs.jsonl")) == len(paper.VARIANTS)
    done = subprocess.run([*command, "--conditions", "silver"], capture_output=True, text=True)
    assert done.returncode != 0 and "no condition 'silver'; there are gold" in done.stderr
