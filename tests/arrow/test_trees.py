"""Sentences of the tables that a run wrote, at every level, are those of the CoNLL-U."""

from __future__ import annotations

from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

import dodona.arrow  # noqa: E402
from dodona.arrow import trees  # noqa: E402
from dodona.arrow.schema import LEVELS  # noqa: E402
from dodona.arrow.trees import read_trees  # noqa: E402

TEXTS = ["Anna saw the old oak. It didn't speak, though.", None, "", "They don't sleep\nhere."]


def write(path: Path, level: str) -> None:
    batch = pa.record_batch({"text": TEXTS})
    tables = list(dodona.arrow.mapper("en", level=level)([batch]))
    parquet.write_table(pa.Table.from_batches(tables), path)


def columns(sentence: dodona.Sentence) -> list[list[object]]:
    found: list[list[object]] = [sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos]
    return [*found, sentence.feats, sentence.heads, sentence.deprels]


@pytest.mark.parametrize("size", [2, 1 << 16])
@pytest.mark.parametrize("level", LEVELS)
def test_every_level_has_the_same_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, size: int
) -> None:
    """Also where a sentence is spread over several batches."""
    monkeypatch.setattr(trees, "N_ROWS", size)
    write(path := tmp_path / "a.parquet", level)
    docs = [dodona.load("en")(text) for text in TEXTS if text]
    expected = [sentence for doc in docs for sentence in doc]
    found = list(read_trees(str(path)))
    assert list(map(columns, found)) == list(map(columns, expected))
    assert [str(sentence) for sentence in found][:2] == [
        "Anna saw the old oak.",
        "It didn't speak, though.",
    ]
    assert all(sentence.source.startswith(str(path)) for sentence in found)
    if level == "word":
        assert [sentence.line for sentence in found] == [1, 7, 16]  # a text without words has a row
    if level == "document":
        assert [sentence.line for sentence in found] == [1, 1, 4]


def test_other_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": ["Oaks"]}), path)
    with pytest.raises(
        ValueError, match=r"a\.parquet: expected the output of dodona parse.*found text"
    ):
        list(read_trees(str(path)))
    path.write_bytes(b"Oaks")
    with pytest.raises(ValueError, match=r"a\.parquet: not Parquet, or damaged"):
        list(read_trees(str(path)))
