"""Lookup of models by path or name: shipped models, folders, installed packages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dodona
from dodona.models import (
    BESIDE,
    FOLDERS,
    INSTALLED,
    SOURCES,
    NoModelError,
    explain_missing,
    find,
    find_packaged,
    locate,
)
from support.repository import LINEAR
from support.shell import Shell


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Make two folders of models for DODONA_MODELS."""
    pair = tmp_path / "first", tmp_path / "second"
    for folder in pair:
        folder.mkdir()
    monkeypatch.setenv(FOLDERS, os.pathsep.join(["", *map(str, pair), str(tmp_path / "none")]))
    return pair


def installed(folder: Path, name: str, value: str = "some_package") -> None:
    """Make a package that declares a model by an entry point."""
    about = folder / "some_package-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: some-package\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[dodona_models]\n{name} = {value}\n")
    (folder / "some_package" / "deep").mkdir(parents=True)
    (folder / "some_package" / "__init__.py").write_text("raise SystemExit('imported')\n")


def test_folders_are_searched_in_order(folders: tuple[Path, Path]) -> None:
    for folder in folders:
        (folder / "oak.dodona").touch()
    (folders[1] / "elm.dodona").touch()
    assert locate("oak") == folders[0] / "oak.dodona"
    assert locate("elm") == folders[1] / "elm.dodona"


def test_what_ships_comes_before_folders_and_a_path_before_all(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folders[0] / "en.dodona").touch()
    assert locate("en").parent != folders[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").touch()
    assert locate("en") == Path("en")


def test_a_folder_of_that_name_hides_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").mkdir()
    assert locate("en").suffix == ".dodona"
    (tmp_path / "oak").mkdir()
    with pytest.raises(NoModelError, match="oak: this is a folder"):
        locate("oak")


@pytest.mark.parametrize("value", ["some_package", "some_package.deep"])
def test_a_package_is_found_and_nothing_of_it_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    installed(tmp_path, "oak", value)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find("oak") == tmp_path.joinpath(*value.split("."), "oak.dodona")


@pytest.mark.parametrize("value", ["no_such_package", "some_package:load", "json.tool", "..", "?"])
def test_an_entry_point_that_leads_nowhere_is_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    installed(tmp_path, "oak", value)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert not find_packaged().get("oak", Path()).is_file()
    with pytest.raises(FileNotFoundError):
        dodona.load("oak")


def test_a_wrong_name_lists_all_that_there_are(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folders[0] / "elm.dodona").touch()
    installed(tmp_path / "site", "oak")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    said = explain_missing("ash")
    assert said.startswith("ash: no such file, and no model of that name; models that ship: en")
    assert "; in DODONA_MODELS: elm; installed: " in said and "oak" in said
    with pytest.raises(FileNotFoundError, match="installed"):
        dodona.load("ash")


@pytest.mark.parametrize("name", BESIDE)
def test_a_model_of_ours_that_is_not_installed_says_how_to_get_it(
    name: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDERS, raising=False)
    monkeypatch.setitem(SOURCES, INSTALLED, dict)
    said = f"{name}: not installed; in a copy of Dodona's repository: {BESIDE[name]}"
    with pytest.raises(NoModelError, match=re.escape(said)):
        dodona.load(name)
    for verb in ("parse", "info", "tag", "package"):
        result = shell(verb, name)
        assert result.code == 1 and result.err.startswith(said) and result.err.count("\n") == 1


def test_the_linear_model_is_found_as_its_advice_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(LINEAR.parents[1])
    advice = BESIDE["en-linear"]
    path, setting = re.findall(r"models/[^,]+|DODONA_MODELS=\w+", advice)
    assert Path(path).is_file()
    monkeypatch.setenv(*setting.split("="))
    assert locate("en-linear").samefile(LINEAR)


def test_a_name_that_ships_asks_no_package() -> None:
    code = (
        "import sys, dodona; from dodona.models import locate; locate('en');"
        "print('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
