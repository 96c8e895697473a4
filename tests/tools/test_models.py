"""`make models`: every treebank becomes a package, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from dodona.models.cards import card_of
from dodona.settings import Settings
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.pipelines import ModelJob, TrainedModel
from support.split_treebanks import write_split
from tools import models
from tools.licences import UNKNOWN, read_card

README = """
| folder | treebank | licence |
|---|---|---|
| `eu_oak` | UD_Basque-Oak | CC BY-NC-SA 3.0 |
| `xx_ash` | ashes | CC BY 4.0 |
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two treebanks: one without a test set, one without a licence."""
    folder = tmp_path_factory.mktemp("data")
    write_split(folder, ["eu_oak", "xx_elm"], {"train": 8, "dev": 4, "test": 4})
    (folder / "eu_oak" / "test.conllu").unlink()
    (folder / "README.md").write_text(README, encoding="utf-8")
    return folder


def test_every_treebank_becomes_a_package_and_only_once(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--data", str(data), "--out", str(tmp_path), "--epochs", "1"]
    models.main(words)
    said = capsys.readouterr().out
    assert "eu-oak" in said and "xx-elm" in said
    assert "Non-commercial, by their licences: eu-oak\n" in said
    assert f"xx-elm: the licence is {UNKNOWN}" in said
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for name in ("eu-oak", "xx-elm"):
        assert {f"{name}.dodona", f"{name}.md"} < made.keys()
        assert f"dodona_{name.replace('-', '_')}-1.0-py3-none-any.whl" in made
    assert b"| test |" not in made["eu-oak.md"] and b"| speed |" in made["eu-oak.md"]
    parser = dodona.load(tmp_path / "eu-oak.dodona")
    assert card_of(parser.record).language == "Basque" and parser.segmenter is not None

    models.main(words)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == made

    (tmp_path / "xx-elm.dodona").write_bytes(b"lost")
    models.main(words)
    assert (tmp_path / "xx-elm.dodona").read_bytes() == made["xx-elm.dodona"]
    lines = (tmp_path / "models.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["eu-oak", "xx-elm"]


def test_the_test_set_is_scored_only_on_request(data: Path) -> None:
    treebank = TreebankFolder("xx_elm", data / "xx_elm")
    settings, card = Settings(epochs=1), read_card(treebank.folder, "1.0")
    plain, tested = (ModelJob(treebank, "elm", settings, card, asked) for asked in (False, True))
    assert plain.key() != tested.key()
    first, second = plain.run(), tested.run()
    assert first.test == {} and 0 < second.test["las"] <= 100
    assert first.file == second.file and first.dev == second.dev
    record = first.to_record()
    assert TrainedModel.from_record(record).sha256 == first.sha256 and "file" not in record


def test_an_unknown_treebank_is_an_error(data: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no treebank 'ash'; the treebanks are eu_oak, xx_elm"):
        models.main(["--data", str(data), "--out", str(tmp_path / "o"), "--treebanks", "ash"])
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("name", "text", "licence"),
    [
        ("README.md", "# Summary\nUD_Basque-Elm\n\nLicense: CC BY-SA 4.0\n", "CC BY-SA 4.0"),
        ("LICENSE.txt", "This work is under CC BY-NC 3.0.", "CC BY-NC 3.0"),
        (
            "LICENSE.txt",
            "Creative Commons Attribution-NonCommercial-ShareAlike 4.0 International",
            "CC BY-NC-SA 4.0",
        ),
        ("LICENSE.txt", "Do what you like.", UNKNOWN),
    ],
)
def test_the_licence_is_read_from_the_files_of_a_treebank(
    tmp_path: Path, name: str, text: str, licence: str
) -> None:
    folder = tmp_path / "eu_elm"
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    card = read_card(folder)
    assert card.licence == licence and card.language == "Basque"


def test_the_licence_is_read_from_a_table_of_the_parent_folder(data: Path) -> None:
    card = read_card(data / "eu_oak")
    assert (card.treebank, card.licence) == ("UD_Basque-Oak", "CC BY-NC-SA 3.0")
    assert read_card(data / "xx_elm").licence == UNKNOWN
