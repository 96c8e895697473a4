"""The build says how far it is, and what is missing; wheels and treebanks are found."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tools import build, environment, treebanks, wheels

ROOT = Path(__file__).parents[2]
SYSTEMS = ("Debian", "Fedora", "macOS", "Windows")

NINJA = """\
print("[1/4] Compiling Cython source x.pyx")
print("a hint")
print("[2/4] Compiling C++ object x.o")
print("[4/4] Linking target x.so")
print("[1/300] x.so")
"""


@pytest.fixture
def configured(tmp_path: Path) -> Path:
    """The folder of a build that Meson has configured: two extension modules."""
    info = tmp_path / "meson-info" / "intro-targets.json"
    info.parent.mkdir()
    info.write_text('[{"type": "shared module"}, {"type": "custom"}, {"type": "shared module"}]')
    return tmp_path


def test_steps_are_counted(
    configured: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "BACKEND", NINJA)
    build.build_wheel(Path(), configured / "wheel", configured, [])
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "Compiling 2 extension modules"
    assert said[2:5] == ["  1 of 4 steps", "  2 of 4 steps", "  4 of 4 steps"]
    assert "a hint" in (configured / "log.txt").read_text(encoding="utf-8")


def test_a_build_that_fails_shows_why(configured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "BACKEND", NINJA + "raise SystemExit('FAILED: x.o')")
    with pytest.raises(SystemExit, match=r"^FAILED: x\.o\n\nThe build failed"):
        build.build_wheel(Path(), configured / "wheel", configured, [])
    monkeypatch.setattr(build, "BACKEND", NINJA + "raise SystemExit('no reason')")
    with pytest.raises(SystemExit, match=r"^\[1/4\](.|\n)*no reason\n\nThe build failed"):
        build.build_wheel(Path(), configured / "wheel", configured, [])


def test_an_environment_gets_what_the_build_requires() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert environment.requirements() == [*project["build-system"]["requires"], "ninja"]


def test_without_a_compiler_meson_names_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meson = shutil.which("meson", path=sysconfig.get_path("scripts"))
    if not meson or sys.platform == "win32":  # where Meson finds Visual Studio by itself
        pytest.skip("needs Meson, beside this Python")
    for name in ("CC", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    command = [sys.executable, meson, "setup", str(tmp_path / "build"), str(ROOT)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode != 0
    assert "Building Dodona requires a C++17 compiler" in found.stdout
    assert all(system in found.stdout for system in SYSTEMS)


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_without_python_make_names_the_packages(tmp_path: Path) -> None:
    command = ["make", "demo", "PYTHON=no-such-python", f"VENV={tmp_path.as_posix()}/venv"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode != 0
    assert "no-such-python is not installed" in found.stdout
    assert all(system in found.stdout for system in SYSTEMS)


def test_pythons_are_found_by_version() -> None:
    major, minor = sys.version_info[:2]
    found = wheels.find_python(f"{major}.{minor}")
    assert found is None or Path(found).exists()
    assert wheels.find_python("3.99") is None


def test_treebanks_are_where_the_variable_says_else_in_the_repository_else_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "repository"
    monkeypatch.setattr(treebanks, "ROOT", root)
    monkeypatch.delenv("DODONA_DATA", raising=False)
    assert treebanks.find_folder() == root / "treebanks"  # the one to fill
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert treebanks.find_folder() == tmp_path / "shared" / "data"
    (root / "treebanks").mkdir(parents=True)
    assert treebanks.find_folder() == root / "treebanks"
    monkeypatch.setenv("DODONA_DATA", "elsewhere")
    assert treebanks.find_folder() == Path("elsewhere")
