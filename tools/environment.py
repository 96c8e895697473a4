"""Create a virtual environment with the build requirements of Dodona.

python -m tools.environment FOLDER

It uses the Python that runs this program, and installs the build requirements of pyproject.toml.
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
# print errors only
PIP = ("-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check")


def python_of(folder: Path) -> Path:
    """Return the interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def requirements() -> list[str]:
    """Return the build requirements; the list is parsed as Python, as 3.10 has no tomllib."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r"^requires = (\[.*?\])", text, re.MULTILINE | re.DOTALL)
    assert found, "pyproject.toml has no build requirements"
    return [*ast.literal_eval(found[1]), "ninja"]


def make_environment(folder: Path) -> None:
    """Create or update an environment."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")  # as `python -m venv`
    subprocess.run([python_of(folder), *PIP, "install", *requirements()], check=True)


if __name__ == "__main__":
    print(f"Creating an environment in {sys.argv[1]}", flush=True)
    make_environment(Path(sys.argv[1]))
