"""Experiments on a Ray cluster: results and their files equal those of a local run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dodona.models.cards import Card
from dodona.settings import Settings
from dodona.synthetic.generator import write_treebank
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.grid import run_grid
from dodona_papers.running.pipelines import ModelJob, TrainedModel
from dodona_papers.running.runs import Result, list_jobs
from support.split_treebanks import write_split

pytest.importorskip("ray", reason="ray is not installed here")


def test_runs_on_a_cluster_are_those_of_one_machine(tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / "invented"
    folder.mkdir()
    for seed, part in enumerate(("train", "dev", "test")):
        write_treebank(folder / f"{part}.conllu", 30, seed)
    variants = {"explore": Settings(epochs=1), "static": Settings(epochs=1, training="static")}
    jobs = list_jobs([TreebankFolder("invented", folder)], variants, [1, 2])
    here = run_grid(jobs, Result.from_record, None)
    monkeypatch.setenv("RAY_ADDRESS", "local")
    there = run_grid(jobs, Result.from_record, tmp_path / "kept.jsonl")
    assert [_lasting(result) for result in there] == [_lasting(result) for result in here]
    monkeypatch.setenv("RAY_ADDRESS", "nobody is asked again")
    assert run_grid(jobs, Result.from_record, tmp_path / "kept.jsonl") == there


def test_models_from_a_cluster_are_those_of_one_machine(tmp_path: Path, monkeypatch: Any) -> None:
    write_split(tmp_path, ["oak", "elm"], {"train": 25, "dev": 10, "test": 10})
    jobs = [
        ModelJob(TreebankFolder(name, tmp_path / name), name, Settings(epochs=1), Card())
        for name in ("oak", "elm")
    ]
    here = run_grid(jobs, TrainedModel.from_record, None)
    monkeypatch.setenv("RAY_ADDRESS", "local")
    there = run_grid(jobs, TrainedModel.from_record, None)
    assert [replace(model, seconds=0) for model in there] == [
        replace(model, seconds=0) for model in here
    ]


def _lasting(result: Result) -> dict[str, Any]:
    """Return a result without its times."""
    return {name: value for name, value in result.to_record().items() if "seconds" not in name}
