"""The command line accepts the command of the English recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.cli.flags import parameters
from dodona.cli.grammar import CommandLine
from dodona.cli.verbs import load_verb
from dodona.validation.validator import validate
from tools.english import read_bed
from tools.english_recipe import LISTS, OWN, SIZES, WITHOUT_VECTORS, command


@pytest.mark.parametrize("name", SIZES)
def test_the_command_is_valid(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for treebank in ("en_ewt", "en_gumfree"):
        (tmp_path / treebank).mkdir()
    (tmp_path / "en_ewt" / "test.conllu").touch()
    monkeypatch.setenv("DODONA_TEXT", "texts")
    monkeypatch.setenv("DODONA_VECTORS", "glove.npy")
    monkeypatch.setenv("DODONA_ENCODER", "mpnet")
    monkeypatch.setenv("DODONA_EXTRA", "pud/train.conllu,more/train.conllu.gz")
    monkeypatch.delenv("DODONA_SILVER", raising=False)
    made = tmp_path / "out" / "work" / "silver"
    made.mkdir(parents=True)
    (made / "part-1.conllu.gz").touch()
    verb, *words = command(tmp_path, tmp_path / "out", name)
    values = CommandLine(words, parameters(load_verb(verb))).values()
    treebanks = [Path(path).parent.name for path in values["treebanks"]]
    assert treebanks == ["en_ewt", "en_gumfree", "pud", "more", "treebank"]
    assert all(Path(values[name]).is_file() for name in LISTS)
    assert 0 < values["variants"] < 1
    # test sets are never annotated as silver data
    assert [Path(path).name for path in values["held_out"].split(",")] == ["dev.conllu"] * 2 + [
        "test.conllu"
    ]
    if name in WITHOUT_VECTORS:
        assert values["silver"] == str(made / "part-1.conllu.gz") and not values["vectors"]
    else:
        assert values["text"] == "texts" and values["vectors"] == "glove.npy"
        assert values["encoder"] == "mpnet" and values["teachers"] == 2
    assert values["out"].endswith(f"{name}.dodona")
    (tmp_path / "part-1.conllu.gz").touch()
    monkeypatch.setenv("DODONA_SILVER", str(tmp_path))
    values = CommandLine(
        command(tmp_path, tmp_path, name)[1:], parameters(load_verb(verb))
    ).values()
    assert values["silver"].endswith("part-1.conllu.gz") and values["text"] == ""


def test_a_student_without_vectors_waits_for_silver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DODONA_TEXT", "texts")
    monkeypatch.delenv("DODONA_SILVER", raising=False)
    with pytest.raises(SystemExit, match="no silver there; make it first"):
        command(tmp_path, tmp_path, WITHOUT_VECTORS[0])


def test_missing_text_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DODONA_TEXT", "DODONA_SILVER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit, match="DODONA_TEXT is not set"):
        command(tmp_path, tmp_path, "en")


def test_our_own_treebank_is_valid_and_apart_from_the_checks_of_everyday_english() -> None:
    sentences = list(dodona.read(OWN))
    assert len(sentences) > 140
    assert not [*validate(OWN)]
    checked = {letters(item.text) for items in read_bed().values() for item in items}
    assert not checked & {letters(sentence.text) for sentence in sentences}


def letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())
