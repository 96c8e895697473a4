"""`dodona cluster`, and `--clusters` of `train` and `info`."""

import json
import sys
from pathlib import Path

import pytest

import dodona
from dodona.clustering.clusters import cluster, read_words
from support.shell import Shell

TEXT = b"the oak speaks\nthe elm speaks\nthe oak sleeps\nan elm sleeps\n"


def test_text_comes_from_stdin_and_clusters_go_to_stdout(shell: Shell) -> None:
    result = shell("cluster", "--clusters", 3, stdin=TEXT)
    assert (result.code, result.err) == (0, "6 words in 3 clusters\n")
    words = cluster([line.split() for line in TEXT.decode().splitlines()], clusters=3)
    assert result.out == "".join(f"{w.bits}\t{w.word}\t{w.frequency}\n" for w in words)


def test_several_files_are_one_text(shell: Shell, data: Path, tmp_path: Path) -> None:
    plain, both = tmp_path / "plain.txt", tmp_path / "both.txt"
    sentences = [*read_words(data / "train.conllu"), *read_words(data / "dev.conllu")]
    plain.write_text("\n".join(map(" ".join, sentences)), encoding="utf-8")
    files = [data / "train.conllu", data / "dev.conllu"]
    options = ["--clusters", 10, "--min-count", 2, "--quiet"]
    assert shell("cluster", *files, "-o", both, *options) == (0, "", "")
    assert both.read_text(encoding="utf-8") == shell("cluster", plain, *options).out


def test_fewer_words_than_clusters_is_told(shell: Shell) -> None:
    result = shell("cluster", "--quiet", stdin=TEXT)
    assert result.code == 0
    assert result.err == "6 clusters instead of 1,000: the text has no more distinct words\n"
    assert len({line.split("\t")[0] for line in result.out.splitlines()}) == 6


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        ([], b"", "there is no word in the text\n"),
        (["--clusters", "1"], TEXT, "clusters must be from 2 to 10,000, not 1\n"),
        (["--min-count", "9"], TEXT, "there is no word that occurs 9 times or more: nothing"),
        ([], b"oak \xff\n", "<stdin>:1: the text is not UTF-8"),
        (["nowhere.txt"], b"", "nowhere.txt: No such file or directory\n"),
    ],
)
def test_what_goes_wrong_is_one_line_and_leaves_no_file(
    options: list[str], text: bytes, message: str, shell: Shell, tmp_path: Path
) -> None:
    old = tmp_path / "clusters.txt"
    old.write_text("as it was")
    result = shell("cluster", *options, "-o", old, stdin=text)
    assert result.code == 1
    assert result.err.startswith(message) and result.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["clusters.txt"]
    assert old.read_text() == "as it was"


def test_ctrl_c_leaves_no_file(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pressed:
        n_done, n_steps = 0, 1

        def __init__(self, *_: object) -> None: ...

        def advance(self, n_steps: int) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr("dodona.clustering.clusters.Brown", Pressed)
    result = shell("cluster", "-o", tmp_path / "c.txt", stdin=TEXT)
    assert (result.code, result.err) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_sees_a_bar(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    result = shell("cluster", "--clusters", 3, stdin=TEXT)
    assert result.code == 0
    assert "clustering" in result.err and "\x1b[" in result.err
    assert "clustering" not in result.out


def test_clusters_are_trained_with_and_told_by_info(
    shell: Shell, data: Path, tmp_path: Path
) -> None:
    clusters, model = tmp_path / "brown.txt", tmp_path / "m"
    assert shell("cluster", data / "train.conllu", "-o", clusters, "--clusters", 9).code == 0
    files = ["--train", data / "train.conllu", "--dev", data / "dev.conllu"]
    options = ["--clusters", clusters, "--epochs", 1, "--quiet"]
    assert shell("train", *files, "-o", model, *options).code == 0
    found = json.loads(shell("info", model, "--json").out)
    n_words = len(clusters.read_text(encoding="utf-8").splitlines())
    assert found["clusters"] == {"file": "brown.txt", "n_words": n_words, "n_clusters": 9}
    assert len(found["record"]["checksums"]["clusters"]) == 64
    shown = shell("info", model).out
    assert f"brown.txt: {n_words:,} words in 9 clusters" in shown
    assert "clusters SHA-256" in shown
    assert shell("parse", model, data / "test.conllu").code == 0
    assert dodona.load(model).settings.linear.clusters == "brown.txt"


def test_info_tells_that_there_are_none(shell: Shell, model: Path) -> None:
    assert json.loads(shell("info", model, "--json").out)["clusters"] is None


def test_a_file_that_holds_no_clusters_is_named(shell: Shell, data: Path, tmp_path: Path) -> None:
    train = data / "train.conllu"
    result = shell("train", "--train", train, "-o", tmp_path / "m", "--clusters", train)
    assert result.code == 1
    assert result.err.startswith(f"{train}:1: expected bits, a word and its count")
