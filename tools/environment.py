"""An environment with what builds Dodona.

python -m tools.environment FOLDER

It is made for the Python that runs this, with all that pyproject.toml requires of a build.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
# twice quiet: nothing but errors
PIP = ("-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check")


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def requirements() -> list[str]:
    """What a build needs; the list is the same in TOML and in Python, and 3.10 reads no TOML."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r"^requires = (\[.*?\])", text, re.MULTILINE | re.DOTALL)
    assert found, "pyproject.toml says what a build requires"
    return [*ast.literal_eval(found[1]), "ninja"]


def make_environment(folder: Path) -> None:
    """Make it, or bring it up to date."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")  # as `python -m venv` does
    subprocess.run([python_of(folder), *PIP, "install", *requirements()], check=True)


if __name__ == "__main__":
    print(f"Making an environment in {sys.argv[1]}", flush=True)
    make_environment(Path(sys.argv[1]))
