"""`auto`: each text is parsed by the model of its language."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.models.cards import Card, add_card
from dodona.models.languages import find_by_language
from dodona.pipeline.auto import UnknownLanguageError
from support.shell import Shell

GERMAN = "Unter der alten Eiche sprach ein Orakel, und niemand verstand, was es ihm sagen wollte."
ENGLISH = "Under the old oak there spoke an oracle, and nobody understood what it wanted to say."
SPANISH = "Debajo del viejo roble hablaba un oráculo, y nadie entendía lo que quería decirle."
HUNGARIAN = "Az öreg tölgyfa alatt egy jósda szólt, és senki sem értette, hogy mit akart mondani."
NUMBERS = "1234 5678 https://example.org/index.html 42"


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model that says that it is German."""
    folder = tmp_path_factory.mktemp("models")
    parser = dodona.load("en-small")
    add_card(parser, Card(language="German")).save(folder / "de.dodona")
    return folder


@pytest.fixture(autouse=True)
def only_german(german: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DODONA_MODELS", str(german))


def test_each_text_gets_the_model_of_its_language(german: Path) -> None:
    auto = dodona.load("auto")
    assert {"de", "en"} <= {*auto.languages}
    texts = [GERMAN, ENGLISH, GERMAN, ENGLISH]
    docs = list(auto.docs(texts))
    assert [doc.language for doc in docs] == ["de", "en", "de", "en"]
    assert [doc.text for doc in docs] == texts
    assert "# lang = de" in docs[0][0].comments and docs[0].to_dict()["language"] == "de"
    alone = dodona.load("en")(ENGLISH)
    assert [s.heads for s in docs[1]] == [s.heads for s in alone]
    assert alone.language is None and "language" not in alone.to_dict()
    doc = auto(GERMAN, threads=1)
    assert doc.language == "de" and doc == docs[0]


def test_models_are_loaded_when_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    load = dodona.Parser.load

    def note(path: Path, **how: bool) -> dodona.Parser:
        loaded.append(Path(path).name)
        return load(path, **how)

    monkeypatch.setattr(dodona.Parser, "load", note)
    auto = dodona.load("auto")
    assert not loaded
    auto(GERMAN)
    auto(GERMAN)
    assert loaded == ["de.dodona"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SPANISH, "no model for Spanish is installed; to install one: dodona get es"),
        (HUNGARIAN, "in no language that is known"),
        (NUMBERS, "too short"),
        ("", "too short"),
    ],
)
def test_a_text_without_a_model_is_an_error_or_gets_the_default(text: str, said: str) -> None:
    auto = dodona.load("auto")
    with pytest.raises(UnknownLanguageError, match=said):
        auto(text)
    docs = auto.docs([GERMAN, text, ENGLISH])
    assert next(docs).language == "de"
    with pytest.raises(UnknownLanguageError, match=said):
        next(docs)
    assert dodona.load("auto", default="en")(text).language == "en"


def test_a_default_without_a_model_and_a_default_without_auto_are_refused() -> None:
    with pytest.raises(UnknownLanguageError, match="dodona get fr"):
        dodona.load("auto", default="fr")
    options: dict[str, Any] = {"default": "en"}
    with pytest.raises(ValueError, match="auto"):
        dodona.load("en", **options)


def test_a_model_under_another_name_serves_its_language(
    german: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(german / "de.dodona", tmp_path / "my-oak.dodona")
    (tmp_path / "bad.dodona").write_bytes(b"no model")
    monkeypatch.setenv("DODONA_MODELS", str(tmp_path))
    found = find_by_language()
    assert found["de"] == tmp_path / "my-oak.dodona"
    assert found["en"].name == "en.dodona"


def test_the_shell_parses_files_in_several_languages(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in (("a", GERMAN), ("b", ENGLISH), ("c", ENGLISH), ("d", "")):
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    result = shell("parse", "auto", folder)
    assert result.code == 0, result.err
    assert [line for line in result.out.splitlines() if line.startswith("# lang")] == [
        "# lang = de",
        "# lang = en",
        "# lang = en",
    ]
    lines = shell("parse", "auto", folder, "--output", "json").out.splitlines()
    assert [json.loads(line)["language"] for line in lines] == ["de", "en", "en"]
    piped = shell("parse", "auto", stdin=GERMAN.encode())
    assert "# lang = de\n" in piped.out
    assert shell("parse", "auto", folder, "-o", f"{tmp_path}/out/").code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"a.conllu", "b.conllu"}


def test_threads_do_not_change_the_bytes(shell: Shell, tmp_path: Path) -> None:
    for i, text in enumerate((ENGLISH * 900, GERMAN * 700, GERMAN, ENGLISH * 300)):
        (tmp_path / f"{i}.txt").write_text(text, encoding="utf-8")
    alone, together = (shell("parse", "auto", tmp_path, "--threads", n) for n in ("1", "3"))
    assert alone.code == 0 and alone.out == together.out
    ids = [line for line in alone.out.splitlines() if line.startswith("# newdoc id")]
    assert ids == [f"# newdoc id = {i}" for i in range(4)]


def test_the_shell_refuses_what_it_cannot_do(shell: Shell, tmp_path: Path) -> None:
    text = tmp_path / "es.txt"
    text.write_text(SPANISH, encoding="utf-8")
    wrong = shell("parse", "auto", text)
    assert wrong.code == 1 and wrong.err.startswith(f"{text}: no model for Spanish is installed")
    assert "# lang = en" in shell("parse", "auto", text, "--else", "en").out
    treebank = tmp_path / "x.conllu"
    treebank.write_text("1\tOak\t_\t_\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert "this is a treebank: name the model" in shell("parse", "auto", treebank).err
    assert shell("parse", "auto", text, "--input", "tokens").code == 2
    assert shell("parse", "auto", text, "--retag").code == 2
    assert shell("parse", "en", text, "--else", "en").code == 2
    for verb in ("info", "tag"):
        assert "only `dodona parse`" in shell(verb, "auto").err
