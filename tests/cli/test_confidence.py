"""`dodona calibrate`, and `--confidence` of `dodona parse`, in every output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from dodona.models.cards import Card
from dodona.models.pages import make_card
from dodona.storage import container
from support.shell import Shell


@pytest.fixture(scope="module")
def sure(model: Path, data: Path) -> Path:
    """The model with a calibration."""
    path = data / "sure.dodona"
    dodona.calibrate(dodona.load(model), data / "dev.conllu").save(path)
    return path


def test_the_verb_does_what_the_function_does(
    shell: Shell, model: Path, sure: Path, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "same.dodona"
    result = shell("calibrate", model, data / "dev.conllu", "-o", out)
    assert result.code == 0 and "ECE" in result.out and result.out.count("head") == 1
    checked = shell(
        "calibrate", model, data / "dev.conllu", "-o", out, "--check", sure.parent / "test.conllu"
    )
    assert checked.out.startswith(result.out.rstrip("\n")) and checked.out.count("head") == 2
    assert out.read_bytes() == sure.read_bytes()
    assert shell("calibrate", model, data / "dev.conllu").code == 2
    assert "nothing.conllu" in shell("calibrate", model, "nothing.conllu", "-o", out).err


def test_conllu_has_confidences_in_misc(shell: Shell, sure: Path, data: Path) -> None:
    asked = shell("parse", sure, data / "test.conllu", "--confidence")
    assert asked.code == 0 and asked.err.count("\n") == 1 and "are kept" in asked.err
    parsed = dodona.load(sure).pipe(dodona.read(data / "test.conllu"), confidence=True)
    assert asked.out == b"".join(map(bytes, parsed)).decode()
    assert "|Confidence=0." in asked.out or "\tConfidence=0." in asked.out
    assert "Confidence=" not in shell("parse", sure, data / "test.conllu").out


def test_json_has_them_as_numbers(shell: Shell, sure: Path, data: Path) -> None:
    lines = shell("parse", sure, data / "test.conllu", "--confidence", "--output", "json").out
    words = [word for line in lines.splitlines() for word in json.loads(line)["words"]]
    assert words and all(0 <= word["confidence"] <= 1 for word in words)
    assert all(f"{word['confidence']:.4f}" == word["misc"]["Confidence"] for word in words)


@pytest.mark.parametrize("output", ["conllx", "svg", "tree"])
def test_outputs_without_room_are_refused(shell: Shell, sure: Path, output: str) -> None:
    result = shell("parse", sure, "--confidence", "--output", output, stdin=b"")
    assert result.code == 2 and "no room for confidences" in result.err


def test_a_model_that_is_not_calibrated_says_so(shell: Shell, model: Path, data: Path) -> None:
    result = shell("parse", model, data / "test.conllu", "--confidence")
    assert result.code == 0 and "not calibrated" in result.err and "Confidence=" in result.out


def test_tables_have_columns_of_them(shell: Shell, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "in.jsonl").write_text('{"text": "Old oaks speak."}\n{"text": null}\n')
    result = shell(
        "parse", "en-small", tmp_path / "in.jsonl", "-o", tmp_path / "out", "--confidence"
    )
    assert result.code == 0
    [made] = (tmp_path / "out").rglob("*.parquet")
    rows = parquet.read_table(made).to_pylist()
    words = dodona.load("en-small")("Old oaks speak.", confidence=True).words
    for name in ("confidence", "deprel_confidence", "upos_confidence", "feats_confidence"):
        assert [row[name] for row in rows] == [*(getattr(word, name) for word in words), None]


def test_info_and_card_tell_how_reliable_they_are(shell: Shell, model: Path, sure: Path) -> None:
    assert "not calibrated" in shell("info", model).out
    assert "calibrated on dev.conllu" in shell("info", sure).out
    found = json.loads(shell("info", sure, "--json").out)["confidence"]
    assert found["data"]["file"] == "dev.conllu" and found["measured"]["head"]["ece"] < 0.1
    card = make_card("sure", Card(), container.about(sure), 1)
    assert "## Confidence" in card and "| head | " in card and "#" * 10 in card
    assert "## Confidence" not in make_card("plain", Card(), container.about(model), 1)
