"""Graphs from the shell: `dodona train --graph`, `parse`, `info` and `evaluate --graphs`."""

import json
from pathlib import Path

import pytest

import dodona
from dodona.evaluation import evaluate_graphs
from support.shell import Shell
from support.small import enhanced, treebank


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graphs")
    for seed, part in enumerate(("train", "dev"), 1):
        with dodona.Writer(path / f"{part}.conllu") as writer:
            for sentence in treebank(60, seed):
                writer.write(enhanced(sentence))
    return path


@pytest.mark.parametrize("graph", ["enhanced", "basic+enhanced"])
def test_from_training_to_scores(shell: Shell, folder: Path, tmp_path: Path, graph: str) -> None:
    model, out, dev = tmp_path / "model", tmp_path / "out.conllu", folder / "dev.conllu"
    files = ["--train", folder / "train.conllu", "--dev", dev, "-o", model]
    trained = shell("train", *files, "--graph", graph, "--epochs", "2")
    assert trained.code == 0 and "dev ELAS" in trained.out
    assert ("dev LAS" in trained.out) == (graph == "basic+enhanced")
    assert "ELAS" in trained.err and "graph" in shell("info", model).out
    about = json.loads(shell("info", model, "--json").out)
    assert (about["graphs"] is not None) == (graph == "basic+enhanced")
    assert shell("parse", model, dev, "-o", out).code == 0
    scores = evaluate_graphs(dev, out)
    assert scores.elas > 40
    assert shell("evaluate", "--graphs", dev, out).out == scores.table() + "\n"
    found = json.loads(shell("evaluate", "--graphs", "--json", dev, out).out)
    assert found == json.loads(json.dumps(scores.to_dict()))


def test_scores_of_graphs_have_no_other_options(shell: Shell, folder: Path) -> None:
    dev = folder / "dev.conllu"
    result = shell("evaluate", "--graphs", "--details", dev, dev)
    assert result.code == 2 and "--graphs scores one system" in result.err
