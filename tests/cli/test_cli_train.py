"""`dodona train`: every run with the same settings gives the same bytes, broken off or not."""

import json
import sys
from pathlib import Path

import pytest

import dodona
from dodona.parsing.trainer import Trainer
from support.interrupted import interrupt
from support.shell import Shell

EPOCHS = 4


@pytest.fixture
def files(data: Path) -> list[str]:
    return ["--train", str(data / "train.conllu"), "--dev", str(data / "dev.conllu")]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [2, 3, 4])
@pytest.mark.parametrize("learner", ["perceptron", "pa"])
def test_a_resumed_run_ends_with_the_same_bytes(
    number: int,
    learner: str,
    shell: Shell,
    files: list[str],
    tmp_path: Path,
) -> None:
    command = ["train", *files, "--epochs", EPOCHS, "--learner", learner, "-o"]
    whole, broken = tmp_path / "whole.dodona", tmp_path / "broken.dodona"
    assert shell(*command, whole).code == 0
    with interrupt(Trainer, number):
        result = shell(*command, broken)
    checkpoint = tmp_path / "broken.dodona.checkpoint"
    assert result.code == 130
    assert "interrupted: saved the parser of epoch" in result.err
    assert f"to continue from {checkpoint}, repeat the command with --resume\n" in result.err
    assert len(dodona.load(broken).record["history"]) == number - 1
    resumed = shell(*command, broken, "--resume")
    assert resumed.code == 0
    assert "epoch 1/4" not in resumed.err
    assert not checkpoint.exists()
    assert broken.read_bytes() == whole.read_bytes()


def test_two_runs_are_the_same_bytes_and_another_seed_is_not(
    shell: Shell, files: list[str], tmp_path: Path
) -> None:
    models = []
    for i, seed in enumerate((1, 1, 2)):
        assert (
            shell("train", *files, "-o", tmp_path / f"{i}", "--epochs", 2, "--seed", seed).code == 0
        )
        models.append((tmp_path / f"{i}").read_bytes())
    assert models[0] == models[1]
    assert models[0] != models[2]


def test_ctrl_c_in_the_first_epoch_saves_nothing(
    shell: Shell, files: list[str], tmp_path: Path
) -> None:
    with interrupt(Trainer, 1):
        result = shell("train", *files, "-o", tmp_path / "m")
    assert result.code == 130
    assert "no parser is saved" in result.err
    assert list(tmp_path.iterdir()) == []


def test_without_checkpoint_none_is_written(shell: Shell, files: list[str], tmp_path: Path) -> None:
    with interrupt(Trainer, 2):
        result = shell("train", *files, "-o", tmp_path / "m", "--no-checkpoint")
    assert result.code == 130
    assert "--resume" not in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_resume_needs_a_checkpoint(shell: Shell, files: list[str], tmp_path: Path) -> None:
    result = shell("train", *files, "-o", tmp_path / "m", "--resume")
    assert result.code == 1
    assert result.err == (
        f"{tmp_path / 'm'}.checkpoint: no such checkpoint; start training without --resume\n"
    )


def test_resume_refuses_other_settings(shell: Shell, files: list[str], tmp_path: Path) -> None:
    with interrupt(Trainer, 2):
        shell("train", *files, "-o", tmp_path / "m")
    result = shell("train", *files, "-o", tmp_path / "m", "--resume", "--seed", 5)
    assert result.code == 1
    assert "this run began with seed=1, not 5" in result.err


def test_data_and_epochs_are_told_in_plain_lines(
    shell: Shell, files: list[str], tmp_path: Path
) -> None:
    result = shell("train", *files, "-o", tmp_path / "m", "--epochs", 2)
    data, dev, crossing, first, second = result.err.splitlines()
    assert data.startswith("train: 120 sentences, ")
    assert dev.startswith("dev: 40 sentences, ")
    record = dodona.load(tmp_path / "m").record
    n_trees, n_arcs = record["n_nonprojective"], record["n_lifted"]
    assert crossing == f"{n_trees} non-projective trees: {n_arcs} arcs lifted (head)"
    assert first.startswith("epoch 1/2  ") and first.endswith("  best")
    assert second.startswith("epoch 2/2  ")
    assert "dev LAS" in result.out and "model" in result.out
    assert "\x1b" not in result.err + result.out


@pytest.mark.parametrize(
    ("training", "told"),
    [
        ("static", "left out of static training"),
        ("explore", "trained on with the actions of lowest cost"),
    ],
)
def test_trees_that_cannot_be_derived_are_told(
    training: str, told: str, shell: Shell, files: list[str], tmp_path: Path
) -> None:
    options = ["--projectivise", "none", "--training", training, "--epochs", 1]
    result = shell("train", *files, "-o", tmp_path / "m", *options)
    assert result.code == 0
    assert result.err.splitlines()[0].startswith("train: 120 sentences, ")
    assert f"non-projective trees cannot be derived: {told}" in result.err


def test_a_terminal_sees_a_bar(
    shell: Shell, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    result = shell("train", *files, "-o", tmp_path / "m", "--epochs", 2)
    assert result.code == 0
    assert "\x1b[" in result.err  # the cursor goes up to draw the bar again
    assert "epoch 1/2  " in result.err and "epoch 2/2  " in result.err


def test_quiet_says_nothing(shell: Shell, files: list[str], tmp_path: Path) -> None:
    result = shell("train", *files, "-o", tmp_path / "m", "--epochs", 1, "--quiet")
    assert result == (0, "", "")


def test_json_has_settings_scores_and_times(shell: Shell, files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "m"
    found = json.loads(shell("train", *files, "-o", out, "--epochs", 2, "--json").out)
    assert found["settings"]["epochs"] == 2
    assert found["bytes"] == out.stat().st_size
    assert found["dev_las"] == dodona.load(out).record["dev_las"]
    assert all(epoch["seconds"] > 0 for epoch in found["history"])


def test_a_beam_is_trained_and_remembered(shell: Shell, files: list[str], tmp_path: Path) -> None:
    model = tmp_path / "model"
    flags = ["--beam", "4", "--update", "early", "--epochs", "1", "--json", "--quiet"]
    result = shell("train", *files, "-o", model, *flags)
    settings = json.loads(result.out)["settings"]
    assert [settings[name] for name in ("beam", "update", "restart")] == [4, "early", "bad"]
    assert dodona.load(model).settings.search.beam == 4


def test_words_without_a_head_are_told(shell: Shell, data: Path, tmp_path: Path) -> None:
    lines = (data / "train.conllu").read_text(encoding="utf-8").split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("1\t"))
    columns = lines[first].split("\t")
    lines[first] = "\t".join([*columns[:6], "_", "_", *columns[8:]])
    gappy = tmp_path / "gappy.conllu"
    gappy.write_text("\n".join(lines), encoding="utf-8")
    run = ["train", "--train", gappy, "-o", tmp_path / "model", "--epochs", "1"]
    assert "1 words without a head: any head counts as correct" in shell(*run).err
    refused = shell(*run, "--training", "static")
    assert refused.code == 1
    assert "sentence 1: word 1 has no head or no label, but static training" in refused.err


def test_without_dev_the_last_epoch_is_kept(shell: Shell, data: Path, tmp_path: Path) -> None:
    command = ["train", "--train", data / "train.conllu", "-o", tmp_path / "m", "--epochs", 2]
    result = shell(*command)
    assert result.code == 0
    assert "dev: none, so the parser of the last epoch is kept" in result.err
    assert dodona.load(tmp_path / "m").record["best_epoch"] == 2


def test_flags_win_over_the_file(shell: Shell, data: Path, tmp_path: Path) -> None:
    config = tmp_path / "train.toml"
    train, dev, out = data / "train.conllu", data / "dev.conllu", tmp_path / "m"
    config.write_text(
        f"train = '{train}'\ndev = '{dev}'\nout = '{out}'\n"
        "epochs = 3\nexplore-after = 0\nexplore-rate = 1\ntraining = 'ambiguity'\n"
    )
    assert shell("train", "--config", config, "--epochs", 1).code == 0
    settings = dodona.load(out).settings
    assert (settings.epochs, settings.explore_after, settings.explore_rate) == (1, 0, 1.0)
    assert settings.training == "ambiguity"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("epoch = 3", "unknown setting 'epoch'; the settings are: train, dev, out, pipeline, "),
        ("epochs = 'many'", "epochs must be a whole number, not 'many'"),
        ("epochs = true", "epochs must be a whole number, not True"),
        (
            "training = 'luck'",
            "training must be one of auto, static, ambiguity, explore, not 'luck'",
        ),
        ("epochs = ", "Invalid value"),
        (
            "explore-rate = 1" + "0" * 400,
            "explore-rate must be a number, not a number of 401 digits",
        ),
        ("epochs = " + "[" * 999, "values are nested too deeply"),
    ],
)
def test_a_wrong_line_in_the_file_is_named(
    line: str, message: str, shell: Shell, tmp_path: Path
) -> None:
    config = tmp_path / "train.toml"
    config.write_text(line)
    result = shell("train", "--config", config)
    assert result.code == 1
    assert result.err.startswith(f"{config}: {message}")
    assert result.err.count("\n") == 1


def test_what_is_missing_is_a_usage_error(shell: Shell, data: Path) -> None:
    result = shell("train", "--train", data / "train.conllu")
    assert result.code == 2
    assert result.err == "--out is missing: give it here or in the file of --config\n"


def test_a_missing_folder_is_found_before_training(
    shell: Shell, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("training has begun")

    monkeypatch.setattr(Trainer, "__init__", never)
    result = shell("train", *files, "-o", tmp_path / "no" / "m")
    assert result.code == 1
    assert result.err == f"{tmp_path / 'no' / 'm'}: the folder {tmp_path / 'no'} does not exist\n"
    assert shell("train", *files, "-o", tmp_path).code == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epochs", "-1"], "epochs must be at least 0, not -1"),
        (["--features", "nowhere.txt"], "no file nowhere.txt, and no templates of that name: "),
        (["--dev", "nowhere.conllu"], "nowhere.conllu: No such file or directory"),
    ],
)
def test_a_wrong_setting_is_one_line(
    options: list[str], message: str, shell: Shell, data: Path, tmp_path: Path
) -> None:
    command = ["train", "--train", data / "train.conllu", "-o", tmp_path / "m", *options]
    result = shell(*command)
    assert result.code == 1
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1
