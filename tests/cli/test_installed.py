"""The installed distribution: `python -m dodona`, and extras that messages and pages name."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import metadata, requires
from pathlib import Path

import pytest

import dodona

ROOT = Path(__file__).parents[2]
EXTRA = re.compile(r"dodona\[([a-z,]+)\]")


def test_python_runs_the_package() -> None:
    command = [sys.executable, "-m", "dodona"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"dodona {dodona.__version__}\n")
    asked = {"input": "Oaks speak.", "capture_output": True, "text": True}
    parsed = subprocess.run([*command, "parse", "en-linear"], **asked)
    assert parsed.returncode == 0 and "1\tOaks\toak" in parsed.stdout
    wrong = subprocess.run([*command, "parze"], **asked)
    assert wrong.returncode == 2 and "did you mean parse?" in wrong.stderr


def test_every_extra_that_is_advised_exists() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    named = {
        extra
        for file in files
        for names in EXTRA.findall(file.read_text(encoding="utf-8"))
        for extra in names.split(",")
    }
    named |= {
        found
        for file in (ROOT / "src").rglob("*.py")
        for found in re.findall(r'require\("\w+", "(\w+)"\)', file.read_text(encoding="utf-8"))
    }
    provided = set(metadata("dodona").get_all("Provides-Extra") or ())
    assert named and named <= provided, named - provided
    asked = {
        extra for extra in provided if any(f'"{extra}"' in one for one in requires("dodona") or ())
    }
    assert asked == provided  # every extra of the wheel brings something


@pytest.mark.thorough
def test_pip_finds_the_extras_of_an_installed_wheel_without_an_index() -> None:
    """`pip install "dodona[server]"` needs no copy of Dodona on an index."""
    for module in ("pip", "starlette", "uvicorn", "multipart"):
        pytest.importorskip(module)
    how = ["--no-index", "--dry-run", "--disable-pip-version-check", "dodona[server]"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *how], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "dodona[server]" in done.stdout
