"""The base wheel: its models and its size."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from dodona.models import BESIDE, find_shipped
from support.repository import ROOT
from tools import wheels

MOST_BYTES = {"en": 22_000_000, "en-small": 8_000_000}


def make_wheel(path: Path, names: list[str], n_bytes: int = 1) -> Path:
    with zipfile.ZipFile(path, "w") as zipped:
        for name in names:
            zipped.writestr(f"dodona/models/{name}", bytes(n_bytes))
    return path


def test_two_models_ship_and_each_is_small() -> None:
    found = {name: path.stat().st_size for name, path in find_shipped().items()}
    assert {f"{name}.dodona" for name in found} | {"identifier.dodona"} == wheels.MODELS
    assert all(size <= MOST_BYTES[name] for name, size in found.items())


def test_the_base_wheel_has_these_models_only_and_at_most_30_megabytes() -> None:
    built = list((ROOT / "build" / "wheel").glob("dodona-*.whl"))
    if not built:
        pytest.skip("no wheel in build/wheel: `make .venv/installed` builds one")
    for wheel in built:
        wheels.check_content(wheel)


def test_the_folder_of_models_has_what_its_readme_and_our_advice_name() -> None:
    folder = ROOT / "models"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "models/en-linear.dodona" in readme and (folder / "en-linear.dodona").exists()
    assert {*re.findall(r"`models/([\w.-]+\.whl)`", readme)} == {
        x.name for x in folder.glob("*.whl")
    }
    assert any("models/en-linear.dodona" in advice for advice in BESIDE.values())
    for name in BESIDE:
        assert f"{name}.dodona" in (folder / "LICENSE-en.txt").read_text(encoding="utf-8")


def test_a_wheel_with_another_model_is_refused(tmp_path: Path) -> None:
    path, allowed = tmp_path / "a.whl", sorted(wheels.MODELS)
    wheels.check_content(make_wheel(path, allowed))
    for names in ([*allowed, "en-linear.dodona"], allowed[1:]):
        with pytest.raises(ValueError, match=r"a\.whl: models .*, expected "):
            wheels.check_content(make_wheel(path, names))


def test_a_wheel_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = make_wheel(tmp_path / "a.whl", sorted(wheels.MODELS), wheels.MOST_BYTES // 2)
    with pytest.raises(ValueError, match="at most 30,000,000 are allowed"):
        wheels.check_content(path)
