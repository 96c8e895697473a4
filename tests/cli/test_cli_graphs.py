"""Graphs from the shell: `dodona train --graph`, `parse`, `info` and `evaluate --graphs`."""

import json
from pathlib import Path

import pytest

import dodona
from dodona.evaluation import evaluate_graphs
from dodona.parsing.trainer import Trainer
from support.interrupted import interrupt
from support.shell import Shell
from support.small import enhanced, parser, treebank


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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("graph", "part", "number", "n_left"),
    [
        ("enhanced", "graph parser", 2, 1),
        ("basic+enhanced", "parser", 2, 3),
        ("basic+enhanced", "graph parser", 1, 2),
        ("basic+enhanced", "graph parser", 2, 1),
    ],
)
def test_a_run_interrupted_in_any_phase_is_resumed_to_the_same_bytes(
    graph: str, part: str, number: int, n_left: int, shell: Shell, folder: Path, tmp_path: Path
) -> None:
    files = ["--train", folder / "train.conllu", "--dev", folder / "dev.conllu"]
    command = ["train", *files, "--graph", graph, "--epochs", "2", "-o"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert shell(*command, whole).code == 0
    with interrupt(Trainer, number, part):
        assert shell(*command, broken).code == 130
    resumed = shell(*command, broken, "--resume")
    assert resumed.code == 0
    assert resumed.err.count("\nepoch ") == n_left
    assert broken.read_bytes() == whole.read_bytes()


def test_scores_of_graphs_have_no_other_options(shell: Shell, folder: Path) -> None:
    dev = folder / "dev.conllu"
    result = shell("evaluate", "--graphs", "--details", dev, dev)
    assert result.code == 2 and "--graphs can be combined with --text and --json" in result.err


def test_a_model_learns_to_make_graphs_from_its_trees(
    shell: Shell, folder: Path, tmp_path: Path
) -> None:
    model, made, out = tmp_path / "model", tmp_path / "made", tmp_path / "out.conllu"
    train, dev = folder / "train.conllu", folder / "dev.conllu"
    parser().save(model)
    done = shell("enhance", model, "--train", f"{train},{dev}", "--dev", dev, "-o", made)
    assert done.code == 0 and "dev ELAS, gold trees" in done.out
    about = json.loads(shell("info", made, "--json").out)["enhancer"]
    assert about["n_sentences"] == 120 and about["dev_elas_gold_trees"] > 99
    assert f"dev ELAS {about['dev_elas']:.2f}" in " ".join(shell("info", made).out.split())
    assert shell("parse", made, dev, "--graph", "--retag", "-o", out).code == 0
    assert evaluate_graphs(dev, out).elas == about["dev_elas"]
    result = json.loads(shell("enhance", model, "--train", train, "-o", made, "--json").out)
    assert result["bytes"] == made.stat().st_size > model.stat().st_size
    assert result["part_bytes"] < 100_000 and "dev_elas" not in result


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [(["-o", "x"], "--train is missing"), (["--train", "x"], "--out is missing")],
)
def test_enhance_says_what_is_missing(shell: Shell, arguments: list[str], advice: str) -> None:
    result = shell("enhance", "en", *arguments)
    assert result.code == 2 and advice in result.err


def test_a_model_that_makes_no_graphs_says_so(shell: Shell, folder: Path, tmp_path: Path) -> None:
    parser().save(tmp_path / "model")
    result = shell("parse", tmp_path / "model", folder / "dev.conllu", "--graph")
    assert result.code == 1 and "dodona enhance" in result.err


def test_graphs_from_raw_text_are_scored(shell: Shell, folder: Path) -> None:
    dev = folder / "dev.conllu"
    found = json.loads(shell("evaluate", "--graphs", "--text", "--json", dev, dev).out)
    assert found["elas"] == found["eulas"] == 100 and found["n_exact"] == 60
