"""The name of the output decides its format, or is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from support.shell import Shell
from support.small import treebank


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    with dodona.Writer(folder / "oaks.conllu") as writer:
        for sentence in treebank(2, 3):
            writer.write(sentence)
    dodona.train(treebank(8, 3), epochs=1, tags="predicted").save(folder / "oak.dodona")
    return folder


def command(verb: str, folder: Path) -> list[str | Path]:
    oaks, model = folder / "oaks.conllu", folder / "oak.dodona"
    return {
        "parse": ["parse", model, oaks],
        "tag": ["tag", model, oaks],
        "grep": ["grep", "upos=NOUN", oaks],
        "convert": ["convert", oaks],
        "draw": ["draw", oaks],
    }[verb]


STARTS = {
    ".html": b"<!DOCTYPE html>",
    ".htm": b"<!DOCTYPE html>",
    ".svg": b"<svg",
    ".json": b"{",
    ".jsonl": b"{",
    ".conllu": b"1\t",
    ".out": b"1\t",
    "": b"1\t",
}


@pytest.mark.parametrize("verb", ["parse", "tag"])
@pytest.mark.parametrize("suffix", STARTS)
def test_the_suffix_names_the_format(
    verb: str, suffix: str, folder: Path, tmp_path: Path, shell: Shell
) -> None:
    out = tmp_path / f"trees{suffix}"
    assert shell(*command(verb, folder), "-o", out).code == 0
    assert out.read_bytes().startswith(STARTS[suffix])


@pytest.mark.parametrize("verb", ["parse", "tag", "draw", "grep", "convert"])
@pytest.mark.parametrize("suffix", [".csv", ".docx", ".parquet", ".dodona"])
def test_a_format_that_is_not_written_is_refused(
    verb: str, suffix: str, folder: Path, tmp_path: Path, shell: Shell
) -> None:
    out = tmp_path / f"trees{suffix}"
    result = shell(*command(verb, folder), "-o", out)
    assert result.code == 2 and suffix in result.err and not out.exists()


def test_plain_text_is_what_the_verb_makes_of_it(
    folder: Path, tmp_path: Path, shell: Shell
) -> None:
    out = tmp_path / "oaks.txt"
    assert shell(*command("convert", folder), "-o", out).code == 0
    text = " ".join(treebank(2, 3)[0].forms)
    assert out.read_text("utf-8").replace("\n", " ").startswith(text[:8])
    assert shell(*command("draw", folder), "-o", out).code == 0
    assert "●" in out.read_text("utf-8")
    assert shell(*command("grep", folder), "-o", out).code == 0
    assert f"{folder}/oaks.conllu:1: " in out.read_text("utf-8")
    refused = shell(*command("parse", folder), "-o", out)
    assert refused.code == 2 and ".txt is not among the formats" in refused.err
    assert shell(*command("parse", folder), "-o", out, "--output", "conllu").code == 0


def test_grep_writes_matches_or_sentences(folder: Path, tmp_path: Path, shell: Shell) -> None:
    assert shell(*command("grep", folder), "-o", tmp_path / "found.json").code == 0
    assert "words" in json.loads((tmp_path / "found.json").read_text("utf-8").splitlines()[0])
    assert shell(*command("grep", folder), "-o", tmp_path / "found.conllu").code == 0
    assert list(dodona.read(tmp_path / "found.conllu"))
    assert shell(*command("grep", folder), "--count", "-o", tmp_path / "n.csv").code == 0


def test_a_name_that_contradicts_the_flag_is_refused(
    folder: Path, tmp_path: Path, shell: Shell
) -> None:
    out = tmp_path / "trees.html"
    result = shell(*command("parse", folder), "-o", out, "--output", "json")
    assert (result.code, out.exists()) == (2, False)
    assert "the name says html, but --output is json" in result.err
    result = shell(*command("convert", folder), "-o", tmp_path / "a.conllx", "--to", "conllu")
    assert result.code == 2 and "the name says conllx, but --to is conllu" in result.err


def test_a_compressed_file_is_named_by_what_is_before(
    folder: Path, tmp_path: Path, shell: Shell
) -> None:
    assert shell(*command("convert", folder), "-o", tmp_path / "a.conllx.gz").code == 0
    found = list(dodona.read(tmp_path / "a.conllx.gz", format="conllx"))
    assert [sentence.format for sentence in found] == ["conllx"] * 2


def test_verbs_of_one_format_refuse_names_of_others(
    folder: Path, tmp_path: Path, shell: Shell
) -> None:
    oaks = folder / "oaks.conllu"
    result = shell("evaluate", oaks, oaks, "--report", tmp_path / "errors.pdf")
    assert result.code == 2 and "it is html, so give another name" in result.err
    assert shell("evaluate", oaks, oaks, "--report", tmp_path / "errors.html").code == 0
    result = shell("validate", oaks, "--level", "1", "--fix", "-o", tmp_path / "tidy.json")
    assert result.code == 2 and "it is conllu, so give another name" in result.err
    assert shell("validate", oaks, "--level", "1", "--fix", "-o", tmp_path / "tidy.txt").code == 0
