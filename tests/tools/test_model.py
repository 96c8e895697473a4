"""`make model`: a student becomes a model that ships, with its card."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import dodona
from dodona.models import BESIDE
from dodona.models.cards import card_of
from dodona.pipeline.sources import PartSources
from dodona.pipeline.trainers import new_trainer
from dodona.settings import Settings
from support.split_treebanks import write_split
from tools import model
from tools.model import by_genre


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sizes = {"train": 12, "dev": 6, "test": 6}
    return write_split(tmp_path_factory.mktemp("data"), model.TREEBANKS, sizes)


@pytest.fixture(scope="module")
def student(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("student") / "student.dodona"
    train, dev = (data / "en_ewt" / f"{part}.conllu" for part in ("train", "dev"))
    trainer = new_trainer(train, dev, Settings(epochs=1), PartSources())
    for _ in trainer.epochs():
        pass
    trainer.parser().save(path)
    return path


def test_a_student_becomes_a_model_with_a_card(data: Path, student: Path, tmp_path: Path) -> None:
    words = ["--student", str(student), "--data", str(data), "--out", str(tmp_path)]
    model.main(words)
    parser = dodona.load(tmp_path / "en.dodona")
    assert card_of(parser.record) == model.CARD
    page = (tmp_path / "en.md").read_text(encoding="utf-8")
    assert page.startswith("# `en`: a Dodona model for English\n")
    assert parser.calibration is not None and "| en_gumfree dev |" in page
    assert "| **en_gumfree dev** |" in page and "| short clauses |" in page
    assert "Silveira" in page and "| las | " in page and "docs/explanation/results.md" in page
    assert "test" not in page.replace(
        "tests/english", ""
    )  # the test set is scored once, for the final model
    assert not list(tmp_path.glob("*.whl"))  # it ships
    model.main([*words, "--test", "--name", "en-small"])
    page = (tmp_path / "en-small.md").read_text(encoding="utf-8")
    assert "|  | dev | test |" in page and "| **en_ewt test** |" in page


def test_a_model_beside_the_base_wheel_becomes_a_wheel(
    data: Path, student: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "make_page", lambda *_, **__: "# Card: [licence](LICENSE-en.txt)\n")
    (tmp_path / model.LICENCE).write_bytes((model.PACKAGED / model.LICENCE).read_bytes())
    monkeypatch.setattr(model, "PACKAGED", tmp_path)  # the folder models/
    model.main(["--student", str(student), "--data", str(data), "--name", "en-large"])
    (wheel,) = tmp_path.glob("*.whl")
    assert BESIDE["en-large"] == "dodona get en-large" and wheel.name.startswith("dodona_en_large-")
    with zipfile.ZipFile(wheel) as zipped:
        content = {Path(name).name: zipped.read(name) for name in zipped.namelist()}
    assert content["en-large.dodona"] == (tmp_path / "en-large.dodona").read_bytes()
    assert content["README.md"] == b"# Card: [licence](LICENSE.txt)\n"
    assert b"Silveira" in content["LICENSE.txt"] and b"en-large.dodona" in content["LICENSE.txt"]


def test_scores_are_those_of_the_whole_model(data: Path, student: Path, tmp_path: Path) -> None:
    parser = dodona.load(student)
    parser.record |= {"dev_las": 1.0, "dev_tags": {"upos": 2.0}, "dev_text": {"las": 3.0}}
    parser.save(tmp_path / "other.dodona")
    words = ["--student", str(tmp_path / "other.dodona"), "--data", str(data)]
    model.main([*words, "--out", str(tmp_path)])
    found, expected = (dodona.load(path).record for path in (tmp_path / "en.dodona", student))
    for name in ("dev_uas", "dev_las", "dev_tags", "dev_text"):
        assert found[name] == pytest.approx(expected[name])


def test_missing_treebanks_are_an_error(student: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no en_ewt there; see docs/how-to/treebanks"):
        model.main(["--student", str(student), "--data", str(tmp_path)])


def test_genres_are_the_first_parts_of_sentence_ids() -> None:
    ids = ("GUM_vlog_oaks-3", "weblog-a.com_b-1", "GUM_vlog_elms-1")
    sentences = [
        dodona.Sentence.from_columns(["Oaks"], comments=[f"# sent_id = {name}"]) for name in ids
    ]
    assert {genre: len(some) for genre, some in by_genre(sentences).items()} == {
        "vlog": 2,
        "weblog": 1,
    }
