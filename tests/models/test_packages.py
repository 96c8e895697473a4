"""Wheels of models: pip installs them, and their models are found by name."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

import pytest

import dodona
from dodona.models.cards import Card, card_of
from dodona.models.wheels import ModelPackage, make_package
from support.shell import Shell
from support.small import train, treebank

CARD = Card("Invented", "oaks", "CC BY-SA 4.0", "1.0")


@pytest.fixture(scope="module")
def site(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which pip installed the package."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = make_package(model, "oak-small", CARD).save(folder)
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
    where = ["--disable-pip-version-check", "--target", str(target), str(wheel)]
    done = subprocess.run([*pip, *where], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def test_pip_installs_it_and_it_is_loaded_by_name(
    site: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(site))
    parser = dodona.load("oak-small")
    assert card_of(parser.record) == CARD
    (sentence,) = treebank(1, 3)
    assert parser.parse(sentence).heads == dodona.load(model).parse(sentence).heads


def test_the_shell_finds_it_everywhere(
    site: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(site))
    (sentence,) = treebank(1, 3)
    assert shell("parse", "oak-small", stdin=bytes(sentence)).code == 0
    assert shell("info", "oak-small").out.split()[:2] == ["language", "Invented"]
    (listed,) = [
        one for one in json.loads(shell("models", "--json").out) if one["name"] == "oak-small"
    ]
    assert listed["found"] == "installed" and listed["licence"] == "CC BY-SA 4.0"
    assert Path(listed["path"]).is_relative_to(site)
    table = shell("models").out
    assert "oak-small" in table and "installed" in table and "Invented" in table
    wrong = shell("parse", "oka-small")
    assert wrong.code == 1 and "models that ship: en" in wrong.err and "oak-small" in wrong.err


def test_server_and_engines_find_it_too(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    from dodona.arrow.model_cache import find_model
    from dodona.server.models import load_models

    monkeypatch.syspath_prepend(str(site))
    (served,) = load_models(["oak-small"])
    assert served.name == "oak-small"
    assert find_model("oak-small").name == "oak-small.dodona"


def test_the_same_input_gives_the_same_bytes(model: Path) -> None:
    first, second = (make_package(model, "oak", CARD).to_bytes() for _ in range(2))
    assert first == second
    assert make_package(model, "elm", CARD).to_bytes() != first


def test_record_has_digest_and_size_of_every_file(model: Path) -> None:
    package = make_package(model, "oak", CARD)
    with zipfile.ZipFile(io.BytesIO(package.to_bytes())) as zipped:
        content = {name: zipped.read(name) for name in zipped.namelist()}
    (record,) = [name for name in content if name.endswith("/RECORD")]
    rows = {path: rest for path, *rest in csv.reader(content[record].decode().splitlines())}
    assert rows.keys() == content.keys() and rows.pop(record) == ["", ""]
    for path, (digest, size) in rows.items():
        expected = urlsafe_b64encode(sha256(content[path]).digest()).rstrip(b"=").decode()
        assert (digest, int(size)) == (f"sha256={expected}", len(content[path])), path


def test_the_wheel_says_what_it_holds(model: Path) -> None:
    package = make_package(model, "oak.small", CARD, readme="# The oak\n", licence="Be kind.\n")
    assert package.file_name == "dodona_oak_small-1.0-py3-none-any.whl"
    with zipfile.ZipFile(io.BytesIO(package.to_bytes())) as zipped:
        about = "dodona_oak_small-1.0.dist-info"
        metadata = zipped.read(f"{about}/METADATA").decode()
        assert zipped.read(f"{about}/LICENSE.txt") == b"Be kind.\n"
        points = zipped.read(f"{about}/entry_points.txt").decode()
    assert "Name: dodona-oak-small\nVersion: 1.0\n" in metadata
    assert "License: CC BY-SA 4.0\n" in metadata and metadata.endswith("\n\n# The oak\n")
    assert points == "[dodona_models]\noak.small = dodona_oak_small\n"


@pytest.mark.parametrize("name", ["", "-oak", "oak/elm", "..", "ö", "oak small", "oak\n"])
def test_a_name_that_pip_would_refuse_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a package name"):
        ModelPackage(name, b"", CARD, "", "")


def test_a_name_of_another_package_of_ours_is_refused() -> None:
    with pytest.raises(ValueError, match="dodona_papers is another package"):
        ModelPackage("Papers", b"", CARD, "", "")


@pytest.mark.parametrize("version", ["", "one", "1.", "v1", "1.0-1", "01", "1.0\n"])
def test_a_version_that_pip_would_refuse_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match=r"not a version of a package|one line of text"):
        ModelPackage("oak", b"", Card(version=version), "", "")


def test_the_verb_takes_what_the_model_says_and_what_it_is_told(
    shell: Shell, tmp_path: Path
) -> None:
    parser = train(treebank(10, 1), epochs=1)
    parser.record["card"] = {"language": "Invented", "licence": "CC BY-NC 4.0"}
    parser.save(tmp_path / "elm.dodona")
    (tmp_path / "card.md").write_text("# Elms\n", encoding="utf-8")
    told = ["--version", "2.1", "--treebank", "elms", "--card", tmp_path / "card.md"]
    done = shell("package", tmp_path / "elm.dodona", "-o", tmp_path / "dist", *told)
    wheel = tmp_path / "dist" / "dodona_elm-2.1-py3-none-any.whl"
    assert done.code == 0 and done.out == f"{wheel}\n"
    assert "CC BY-NC 4.0, is non-commercial" in done.err
    with zipfile.ZipFile(wheel) as zipped:
        zipped.extract("dodona_elm/elm.dodona", tmp_path)
        assert zipped.read("dodona_elm/README.md") == b"# Elms\n"
    card = card_of(dodona.load(tmp_path / "dodona_elm" / "elm.dodona").record)
    assert card == Card("Invented", "elms", "CC BY-NC 4.0", "2.1")


def test_what_would_be_of_no_use_is_not_packaged(shell: Shell, model: Path, tmp_path: Path) -> None:
    out = ["-o", tmp_path / "dist"]
    assert "records no licence" in shell("package", model, *out).err
    bad = tmp_path / "bad.dodona"
    bad.write_bytes(model.read_bytes()[:-1])
    assert "cut short" in shell("package", bad, "--licence", "MIT", *out).err
    assert "no such file" in shell("package", "ash", *out).err
    assert (
        "not a version" in shell("package", model, "--licence", "MIT", "--version", "x", *out).err
    )
    assert not (tmp_path / "dist").exists()


def test_a_name_that_ships_is_told(shell: Shell, model: Path, tmp_path: Path) -> None:
    done = shell("package", model, "--name", "en", "--licence", "MIT", "-o", tmp_path)
    assert done.code == 0 and "which is found first; use another --name" in done.err


def test_rules_beside_a_model_are_packaged(shell: Shell, model: Path, tmp_path: Path) -> None:
    copy, beside = tmp_path / "oak.dodona", tmp_path / "oak.rules.toml"
    copy.write_bytes(model.read_bytes())
    assert make_package(copy, "oak", CARD).rules is None
    beside.write_text("unbroken = []", encoding="utf-8")
    wheel = zipfile.ZipFile(io.BytesIO(make_package(copy, "elm", CARD).to_bytes()))
    assert wheel.read("dodona_elm/elm.rules.toml") == b"unbroken = []"
    assert "own rules" in shell("info", copy).out and "own rules" not in shell("info", model).out
    beside.write_text("unbrokn = []", encoding="utf-8")
    done = shell("package", copy, "-o", tmp_path, "--licence", "MIT")
    assert done.code == 1 and "oak.rules.toml:1: unknown rules 'unbrokn'" in done.err
