"""Cards: language, data and licence are stored in the model file and shown everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from dodona.models import INSTALLED, SOURCES, explain_missing, find_shipped
from dodona.models.cards import Card, add_card, card_of, find_card, with_card
from dodona.models.listing import list_models
from dodona.models.pages import make_card, make_licence
from dodona.storage import container
from dodona.synthetic.generator import write_treebank
from support.repository import LINEAR
from support.shell import Shell
from support.small import train, treebank

CARD = Card("Invented", "oaks", "CC BY-SA 4.0", "2.0")


def test_training_records_what_it_is_told(tmp_path: Path) -> None:
    parser = dodona.train(treebank(10, 1), epochs=1, language="Invented", licence="MIT")
    parser.save(tmp_path / "m")
    assert card_of(dodona.load(tmp_path / "m").record) == Card("Invented", licence="MIT")
    assert "card" not in dodona.train(treebank(10, 1), epochs=1).record


def test_the_shell_records_it_too(shell: Shell, tmp_path: Path) -> None:
    write_treebank(tmp_path / "train.conllu", 8, seed=1)
    files = ["--train", tmp_path / "train.conllu", "-o", tmp_path / "m", "--epochs", "1"]
    said = ["--language", "Invented", "--licence", "CC BY 4.0"]
    assert shell("train", *files, *said, "--quiet").code == 0
    shown = shell("info", tmp_path / "m").out.split("Inside")[0]
    assert "Invented" in shown and "CC BY 4.0" in shown
    text = ["--pipeline", "text", "--parser", tmp_path / "m"]
    assert shell("train", *files[:2], *text, "-o", tmp_path / "t", "--licence", "MIT").code == 0
    assert card_of(dodona.load(tmp_path / "t").record) == Card("Invented", licence="MIT")
    refused = shell("train", *files, "--language", "two\nlines")
    assert refused.code == 1 and "language is one line of text" in refused.err


def test_a_card_changes_nothing_else_in_a_file(model: Path, tmp_path: Path) -> None:
    target = tmp_path / "m"
    target.write_bytes(with_card(model, CARD))
    assert find_card(target, dodona.load(target).record) == CARD
    before, after = container.read(model, "model", 99), container.read(target, "model", 99)
    assert before[0]["record"] | {"card": after[0]["record"]["card"]} == after[0]["record"]
    assert before[1] == after[1] and len(before[1]) > 0
    assert with_card(target, CARD) == target.read_bytes()


@pytest.mark.parametrize("path", [*find_shipped().values(), LINEAR], ids=lambda path: path.stem)
def test_a_model_of_ours_has_a_card_a_page_and_a_licence(path: Path) -> None:
    name = path.stem
    card = find_card(path, dodona.load(path).record)
    assert card.language == "English" and card.licence == "CC BY-SA 4.0"
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    assert page.startswith("# ") and f"`{name}`" in page.splitlines()[0]
    assert f'dodona.load("{name}")' in page and f"{path.stat().st_size / 1e6:.1f} MB" in page
    assert path.name in path.with_name("LICENSE-en.txt").read_text(encoding="utf-8")


def test_the_manual_has_the_sizes_of_our_models() -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "models.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    for path in (*find_shipped().values(), LINEAR):
        (row,) = (line for line in lines if line.startswith(f"| `{path.stem}` |"))
        assert f"{path.stat().st_size / 1e6:.0f} MB" in row


def test_an_old_file_of_that_name_elsewhere_says_nothing(model: Path, tmp_path: Path) -> None:
    assert find_card(LINEAR, {}) != Card()
    other = tmp_path / LINEAR.name
    other.write_bytes(model.read_bytes())
    assert find_card(other, {}) == Card()
    other.write_bytes(LINEAR.read_bytes())
    assert find_card(other, {}) == find_card(LINEAR, {})


@pytest.mark.parametrize("card", [{"language": 3}, "French", {"licence": "a\nb"}])
def test_a_card_that_is_none_is_refused(card: object) -> None:
    with pytest.raises(ValueError):
        card_of({"card": card})


def test_what_is_signed_again_keeps_the_rest() -> None:
    parser = train(treebank(5, 1), epochs=1)
    add_card(add_card(parser, CARD), Card(licence="MIT"))
    assert card_of(parser.record) == CARD._replace(licence="MIT")


def test_the_list_has_every_model_once_and_what_is_wrong_with_it(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "oak.dodona").write_bytes(with_card(model, CARD))
    (tmp_path / "en.dodona").write_bytes(b"hidden by the one that ships")
    (tmp_path / "bad.dodona").write_bytes(b"no model")
    monkeypatch.setenv("DODONA_MODELS", str(tmp_path))
    found = {one.name: one for one in list_models()}
    assert [*found][:2] == ["en", "en-small"]
    assert found["en"].source == "models that ship"
    oak, bad = found["oak"], found["bad"]
    assert oak.card == CARD and oak.n_bytes == (tmp_path / "oak.dodona").stat().st_size
    record = dodona.load(model).record
    assert oak.scores["las"] == record["dev_las"]
    assert bad.problem.startswith("not a Dodona model") and not bad.scores
    assert oak.to_dict()["licence"] == "CC BY-SA 4.0" and bad.to_dict()["licence"] is None


def test_the_list_ends_with_models_of_ours_that_are_not_installed(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DODONA_MODELS", raising=False)
    monkeypatch.setitem(SOURCES, INSTALLED, dict)
    listed = list_models()[-1]
    assert (listed.name, listed.source, listed.path) == ("en-linear", "not installed", None)
    shown = shell("models")
    (row,) = [line for line in shown.out.splitlines() if line.split()[:1] == ["en-linear"]]
    assert row.endswith("not installed")
    assert f"{explain_missing('en-linear')}\n" in shown.err
    as_json = json.loads(shell("models", "--json").out)[-1]
    assert (as_json["name"], as_json["path"]) == ("en-linear", None)
    monkeypatch.setenv("DODONA_MODELS", str(LINEAR.parent))
    found = {one.name: one for one in list_models()}["en-linear"]
    assert found.path == LINEAR and found.card.licence == "CC BY-SA 4.0"


def test_a_card_tells_data_licence_scores_and_making(model: Path) -> None:
    about = container.about(model)
    about["record"]["silver"] = {"n_sentences": 1_200, "n_words": 34_500}
    text = make_card("oak", CARD, about, 12_300_000, words_per_second=1234.5, test={"las": 70.0})
    record = about["record"]
    for expected in (
        "# `oak`: a Dodona model for Invented",
        "| data | oaks, 30 sentences,",
        "| silver | 1,200 sentences, 34,500 words |",
        "| licence | CC BY-SA 4.0 |",
        "| size | 12.3 MB |",
        "| speed | 1,234 words/s, one thread |",
        f"| LAS | {record['dev_las']:.2f} |",
        "| las | 70.00 |",
        "`dodona train --train … --dev … --epochs 1",
        record["checksums"]["train"],
    ):
        assert expected in text, text
    record["recipe"] = "make oaks"
    text = make_card("oak", CARD, about, 12_300_000)
    assert "`make oaks`, which ends with `dodona train --from … " in text
    assert "commercial" not in text
    assert "forbids commercial use" in make_card("oak", Card(licence="CC BY-NC 4.0"), about, 1)


def test_the_card_of_a_student_says_what_it_learned_from() -> None:
    sources = [
        {"kind": "gold", "file": "xx_oak/train.conllu", "sha256": "a1", "words": 1234},
        {"kind": "teacher", "file": "teacher 1", "sha256": "b2", "dev": {"LAS": 87.654}},
        {"kind": "teacher", "file": "teacher 2", "sha256": "d4", "encoder": "oak-bert"},
        {"kind": "silver", "file": "57 files", "sha256": "c3"},
    ]
    about = {"settings": {"scorer": "neural"}, "record": {"learned_from": sources}, "segmenter": {}}
    text = make_card("oak", CARD, about, 1)
    assert "`dodona distil … --scorer neural`" in text
    assert "| gold: xx_oak/train.conllu | 1,234 | `a1` |" in text
    assert "| teacher: teacher 1 | LAS 87.65 | `b2` |" in text
    assert "| teacher: teacher 2 on oak-bert |  | `d4` |" in text
    assert "| silver: 57 files |  | `c3` |" in text


@pytest.mark.parametrize(
    ("licence", "said"),
    [
        ("CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/legalcode"),
        ("CC BY-NC-SA 3.0", "The licence forbids commercial use."),
        ("LGPL-LR", "https://spdx.org/licenses/LGPLLR.html"),
        ("my own", "licensed under: my own"),
    ],
)
def test_a_notice_names_the_licence_and_its_text(licence: str, said: str) -> None:
    assert said in make_licence("oak", Card(treebank="oaks", licence=licence))
