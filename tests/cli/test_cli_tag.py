"""`dodona tag`: tags out, and a tagger trained."""

import json
from pathlib import Path

import pytest

import dodona
from dodona.tagging.tagger_training import TaggerTrainer
from support.interrupted import interrupt
from support.shell import BAD, Shell
from support.small import train, treebank


@pytest.fixture
def tagger(shell: Shell, data: Path, tmp_path: Path) -> Path:
    path = tmp_path / "my.tagger"
    files = ["--train", data / "train.conllu", "--dev", data / "dev.conllu", "-o", path]
    result = shell("tag", *files, "--epochs", "2")
    assert result.code == 0
    assert "tasks: xpos, upos, feats, lemma" in result.err
    assert "epoch 2/2" in result.err
    assert result.out == ""
    return path


def test_output_is_that_of_the_tagger(shell: Shell, tagger: Path, data: Path) -> None:
    result = shell("tag", tagger, data / "test.conllu")
    tagged = dodona.Tagger.load(tagger).pipe(dodona.read(data / "test.conllu"))
    assert result.code == 0
    assert result.out == b"".join(map(bytes, tagged)).decode()


def test_lemmas_are_written_unless_they_are_not_wanted(
    shell: Shell, tagger: Path, data: Path, tmp_path: Path
) -> None:
    gold = list(dodona.read(data / "test.conllu"))
    bare = b"".join(bytes(s.replace(lemmas=["_"] * len(s))) for s in gold)
    out = tmp_path / "tagged.conllu"
    assert shell("tag", tagger, "-o", out, stdin=bare).code == 0
    assert (dodona.evaluate(gold, list(dodona.read(out))).lemma or 0) > 85
    path = tmp_path / "plain.tagger"
    files = ["--train", data / "train.conllu", "-o", path, "--epochs", "1"]
    assert "tasks: xpos, upos, feats\n" in shell("tag", *files, "--no-lemmas").err
    assert "lemma" not in dodona.Tagger.load(path).columns
    assert "--lemmas: only with --train" in shell("tag", tagger, "--no-lemmas").err


def test_files_stdin_threads_and_bad_sentences(shell: Shell, tagger: Path, data: Path) -> None:
    text = (data / "test.conllu").read_bytes()
    expected = shell("tag", tagger, data / "test.conllu").out
    assert shell("tag", tagger, "--threads", "2", stdin=text).out == expected
    out = data / "tagged.conllu"
    assert shell("tag", tagger, data / "test.conllu", "-o", out).out == ""
    assert out.read_bytes().decode() == expected
    assert shell("tag", tagger, "--mapped", stdin=text).out == expected
    result = shell("tag", tagger, "--skip-bad", stdin=BAD + text)
    assert result.out == BAD.decode() + expected
    assert "1 invalid sentence passed through unchanged" in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "MODEL is missing"),
        (["--train", "t.conllu"], "--train F requires -o MODEL and no other file"),
        (["a.tagger", "--train", "t.conllu", "-o", "b"], "--train F requires -o MODEL"),
        (["--train", "t.conllu", "-o", "b", "--mapped"], "--mapped does not apply to training"),
        (["a.tagger", "--epochs", "3"], "--epochs: only with --train"),
        (
            ["a.tagger", "--resume", "--no-checkpoint"],
            "--resume, --no-checkpoint: only with --train",
        ),
    ],
)
def test_flags_that_do_not_go_together(shell: Shell, arguments: list[str], said: str) -> None:
    result = shell("tag", *arguments)
    assert result.code == 2
    assert said in result.err


def test_a_parser_without_a_tagger_tags_nothing(shell: Shell, tmp_path: Path) -> None:
    train(treebank(20, 1), tags="gold").save(tmp_path / "gold.dodona")
    result = shell("tag", tmp_path / "gold.dodona")
    assert result.code == 1
    assert "this parser has no tagger" in result.err


def test_ctrl_c_keeps_the_best_tagger_so_far(shell: Shell, data: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.tagger"
    command = ["tag", "--train", data / "train.conllu", "-o", path]
    with interrupt(TaggerTrainer, 2):
        result = shell(*command)
    assert result.code == 130
    assert "saved the tagger of epoch 1" in result.err
    assert dodona.Tagger.load(path).record["best_epoch"] == 1
    before = path.read_bytes()
    with interrupt(TaggerTrainer, 1):
        assert shell(*command).code == 130
    assert path.read_bytes() == before


def test_a_tagger_is_resumed_to_the_same_bytes(shell: Shell, data: Path, tmp_path: Path) -> None:
    files = ["--train", data / "train.conllu", "--dev", data / "dev.conllu"]
    command = ["tag", *files, "--epochs", "4", "-o"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert shell(*command, whole).code == 0
    with interrupt(TaggerTrainer, 3):
        result = shell(*command, broken)
    assert f"to continue from {broken}.checkpoint, repeat the command with --resume" in result.err
    resumed = shell(*command, broken, "--resume")
    assert resumed.code == 0 and "epoch 2/4" not in resumed.err and "epoch 3/4" in resumed.err
    assert broken.read_bytes() == whole.read_bytes()
    assert not Path(f"{broken}.checkpoint").exists()
    with interrupt(TaggerTrainer, 2):
        shell(*command, tmp_path / "none", "--no-checkpoint")
    assert not (tmp_path / "none.checkpoint").exists()
    refused = shell(*command, tmp_path / "none", "--resume")
    assert refused.code == 1 and "none.checkpoint: no such checkpoint" in refused.err


def test_a_parser_with_a_tagger(shell: Shell, data: Path, tmp_path: Path) -> None:
    path, files = tmp_path / "m.dodona", ["--train", data / "train.conllu"]
    files += ["--dev", data / "dev.conllu"]
    result = shell("train", *files, "-o", path, "--tags", "predicted", "--epochs", "2")
    assert result.code == 0
    assert "UPOS" in result.err  # accuracy on the dev set
    parsed = shell("parse", path, data / "test.conllu", "--retag").out
    kept = shell("parse", path, data / "test.conllu", "--keep-tags").out
    assert (
        parsed
        == b"".join(
            map(bytes, dodona.load(path).pipe(dodona.read(data / "test.conllu"), retag=True))
        ).decode()
    )
    assert kept != parsed
    tagged = shell("tag", path, data / "test.conllu").out
    assert [line.split("\t")[:6] for line in tagged.splitlines()] == [
        line.split("\t")[:6] for line in parsed.splitlines()
    ]
    both = shell("parse", path, data / "test.conllu", "--retag", "--keep-tags")
    assert both.code == 2
    assert "--keep-tags and --retag exclude each other" in both.err
    shown = shell("info", path)
    assert shown.code == 0
    assert "classes" in shown.out
    assert "predicted" in shown.out


def test_tags_are_checked(shell: Shell, data: Path, tmp_path: Path) -> None:
    files = ["--train", data / "train.conllu", "-o", tmp_path / "m"]
    result = shell("train", *files, "--tags", "silver")
    assert result.code == 1
    assert "tags must be auto, gold, predicted or jackknife:N" in result.err


def test_clusters_are_seen_by_taggers_and_told_by_info(
    shell: Shell, data: Path, tmp_path: Path
) -> None:
    clusters, tagger, model = (tmp_path / name for name in ("brown.txt", "t.tagger", "m.dodona"))
    assert shell("cluster", data / "train.conllu", "-o", clusters, "--clusters", 9).code == 0
    options = ["--train", data / "train.conllu", "--clusters", clusters, "--epochs", 1]
    assert shell("tag", *options, "-o", tagger).code == 0
    assert dodona.Tagger.load(tagger).scorer.settings.clusters == "brown.txt"
    assert shell("tag", tagger, data / "test.conllu").code == 0
    assert shell("train", *options, "-o", model, "--tags", "predicted").code == 0
    assert json.loads(shell("info", model, "--json").out)["tagger"]["clusters"] == "brown.txt"
    assert ", clusters brown.txt" in " ".join(shell("info", model).out.split())


def test_clusters_that_are_none_are_refused(shell: Shell, data: Path, tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("oak 01\n", encoding="utf-8")
    options = ["--train", data / "train.conllu", "--clusters", tmp_path / "c.txt"]
    result = shell("tag", *options, "-o", tmp_path / "t")
    assert result.code == 1
    assert "c.txt:1: expected bits, a word and its count" in result.err
    assert not (tmp_path / "t").exists()
