"""Record batches and corpora in several languages: the model `auto`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from dodona.models.cards import Card, add_card
from support.shell import Shell

pa = pytest.importorskip("pyarrow")
da = pytest.importorskip("dodona.arrow")

GERMAN = "Unter der alten Eiche sprach ein Orakel, und niemand verstand, was es ihm sagen wollte."
ENGLISH = "Under the old oak there spoke an oracle, and nobody understood what it wanted to say."
SPANISH = "Debajo del viejo roble hablaba un oráculo, y nadie entendía lo que quería decirle."


@pytest.fixture(autouse=True)
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_card(dodona.load("en-small"), Card(language="German")).save(tmp_path / "de.dodona")
    monkeypatch.setenv("DODONA_MODELS", str(tmp_path))


@pytest.mark.parametrize("level", ["word", "sentence", "document", "conllu"])
def test_every_row_has_its_language_or_an_error(level: str) -> None:
    texts = [GERMAN, ENGLISH, SPANISH, None, "", GERMAN]
    batch = pa.record_batch({"doc": [*range(6)], "text": texts})
    (made,) = da.mapper("auto", keep=["doc"], level=level)([batch])
    assert made.schema == da.schema("auto", level=level, keep=pa.schema({"doc": pa.int64()}))
    found = {(row["doc"], row["language"]) for row in made.to_pylist()}
    assert {(0, "de"), (1, "en"), (2, None), (3, None), (5, "de")} <= found
    errors = {row["doc"]: row["error"] for row in made.to_pylist() if row["error"]}
    assert errors.keys() == {2, 3} and "dodona get es" in errors[2]
    ids = [row["doc"] for row in made.to_pylist()]
    assert ids == sorted(ids)
    (made,) = da.mapper("auto", keep=["doc"], level=level, default="en")([batch])
    assert "en" in {row["language"] for row in made.to_pylist() if row["doc"] == 2}


def test_each_text_is_parsed_as_by_its_own_model() -> None:
    batch = pa.record_batch({"text": [ENGLISH]})
    (auto,), (own,) = da.mapper("auto")([batch]), da.mapper("en")([batch])
    assert auto.drop_columns(["language"]).equals(own)


def test_tokens_and_a_default_elsewhere_are_refused() -> None:
    with pytest.raises(ValueError, match="not of tokens"):
        da.mapper("auto", tokens="words")
    with pytest.raises(ValueError, match="default"):
        da.mapper("en", default="en")


def test_a_corpus_of_json_lines_is_parsed(shell: Shell, tmp_path: Path) -> None:
    lines = [json.dumps({"doc": i, "text": t}) for i, t in enumerate([GERMAN, ENGLISH, SPANISH])]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    options = ["--keep", "doc", "--level", "document", "--output", "json", "--quiet"]
    result = shell("parse", "auto", tmp_path / "in.jsonl", "-o", tmp_path / "out", *options)
    assert result.code == 0, result.err
    (made,) = (tmp_path / "out").glob("in*")
    rows = [json.loads(line) for line in made.read_text(encoding="utf-8").splitlines()]
    assert [(row["doc"], row["language"]) for row in rows] == [(0, "de"), (1, "en"), (2, None)]
    assert "dodona get es" in rows[2]["error"]
    assert "1 of 3 documents" in result.err


def test_rules_are_for_one_language(shell: Shell, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="rules are for the model of one language"):
        da.mapper("auto", rules=dodona.Rules(whole=["Q4"]))
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": ENGLISH}), encoding="utf-8")
    (tmp_path / "my.toml").write_text('whole = ["Q4"]', encoding="utf-8")
    words = ["parse", "auto", tmp_path / "in.jsonl", "-o", tmp_path / "out"]
    done = shell(*words, "--rules", tmp_path / "my.toml")
    assert done.code == 1 and "not for 'auto'" in done.err
