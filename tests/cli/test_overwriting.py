"""No output file is one that is read: not the text, not the model, by whatever name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dodona.cli import main
from support.text_models import some_text, text_model

TEXT = some_text(1).encode()
START = [sys.executable, "-c", "from dodona.cli import main; main()"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    (tmp_path / "texts" / "deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "texts/c.txt", "texts/deep/e.txt"):
        (tmp_path / name).write_bytes(TEXT)
    return tmp_path


def content(here: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in here.rglob("*") if path.is_file()}


def refused(here: Path, capfd: Any, *words: str) -> str:
    before = content(here)
    with pytest.raises(SystemExit) as left:
        main([*words, *([] if "--output" in words else ["--output", "conllu"])])
    assert left.value.code == 2 and content(here) == before
    return str(capfd.readouterr().err)


@pytest.mark.parametrize("verb", ["parse", "tag"])
@pytest.mark.parametrize(
    "words",
    [
        ["a.txt", "-o", "a.txt"],
        ["a.txt", "-o", "./a.txt"],
        ["a.txt", "-o", "texts/../a.txt"],
        ["a.txt", "-o", "{here}/a.txt"],
        ["a.txt", "b.txt", "-o", "b.txt"],
        ["texts", "-o", "texts/deep/e.txt"],
        ["texts", "-o", "texts", "--output", "tree"],
        ["texts/deep", "a.txt", "-o", ".", "--output", "tree"],
        ["a.txt", "-o", "m.dodona"],
    ],
)
def test_what_is_read_is_not_overwritten(
    here: Path, capfd: Any, verb: str, words: list[str]
) -> None:
    given = [word.format(here=here) for word in words]
    assert "would be overwritten by its own output" in refused(
        here, capfd, verb, "m.dodona", *given
    )


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("words", [["a.txt", "-o", "l.txt"], ["l.txt", "-o", "a.txt"]])
def test_links_make_no_difference(here: Path, capfd: Any, link: Any, words: list[str]) -> None:
    link(here / "a.txt", here / "l.txt")
    assert "would be overwritten" in refused(here, capfd, "parse", "m.dodona", *words)


@pytest.mark.parametrize("out", ["texts/", "texts/deep", "texts/new/", "texts/deep/../new/er/"])
def test_a_folder_in_the_input_would_be_parsed_by_the_next_run(
    here: Path, capfd: Any, out: str
) -> None:
    assert f"{out} lies in the input texts" in refused(
        here, capfd, "parse", "m.dodona", "texts", "-o", out
    )


def test_redirected_streams_are_files_too(here: Path) -> None:
    def run(words: list[str], **streams: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*START, "parse", "m.dodona", *words], stderr=-1, **streams)

    with (here / "a.txt").open("rb") as stdin:
        done = run(["-", "-o", "a.txt", "--output", "conllu"], stdin=stdin)
    assert done.returncode == 2 and b"would be overwritten" in done.stderr
    with (here / "a.txt").open("ab") as stdout:
        done = run(["a.txt"], stdout=stdout)
    assert done.returncode == 2 and (here / "a.txt").read_bytes() == TEXT


def test_what_is_not_read_is_written(here: Path) -> None:
    for words in (["a.txt", "-o", "b.conllu"], ["a.txt", "-o", "texts"], ["texts", "-o", "."]):
        with pytest.raises(SystemExit) as left:
            main(["parse", "m.dodona", *words])
        assert not left.value.code
    assert (here / "texts" / "a.conllu").exists() and (here / "deep" / "e.conllu").exists()
