"""What a build says of its origin: `tools/name_origin.py`, on folders made up here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NAME_ORIGIN = Path(__file__).parent.parent / "tools" / "name_origin.py"


def origin(source: Path) -> dict[str, str]:
    found = subprocess.run(
        [sys.executable, NAME_ORIGIN, source], capture_output=True, text=True, check=True
    )
    names: dict[str, str] = {}
    exec(found.stdout, names)
    return names


@pytest.fixture
def source(tmp_path: Path) -> Path:
    core = tmp_path / "repository" / "src" / "dodona" / "core"
    core.mkdir(parents=True)
    (core / "oak.pyx").write_bytes(b"cdef int oak = 1\n")
    return tmp_path / "repository" / "src"


def test_the_core_is_known_by_its_sources(source: Path) -> None:
    oak = source / "dodona" / "core" / "oak.pyx"
    first = origin(source)["CORE"]
    oak.write_bytes(b"cdef int oak = 1\r\n")
    (source / "dodona" / "core" / "notes.txt").write_text("no source")
    (source / "dodona" / "elsewhere.py").write_text("no core")
    assert origin(source)["CORE"] == first
    oak.write_bytes(b"cdef int oak = 2\n")
    assert origin(source)["CORE"] != first


@pytest.mark.skipif(shutil.which("git") is None, reason="Git is not here")
def test_the_commit_is_that_of_its_own_repository(source: Path) -> None:
    def git(folder: Path, *command: str) -> str:
        who = ["-c", "user.name=Oak", "-c", "user.email=oak@example.org"]
        told = subprocess.run(
            ["git", "-C", folder, *who, *command], capture_output=True, text=True, check=True
        )
        return told.stdout.strip()

    assert origin(source)["COMMIT"] == ""
    git(source.parent, "init")
    git(source.parent, "add", ".")
    git(source.parent, "commit", "-m", "Plant an oak")
    commit = origin(source)["COMMIT"]
    assert commit and git(source.parent, "rev-parse", "HEAD").startswith(commit)
    (source / "dodona" / "core" / "oak.pyx").write_bytes(b"cdef int oak = 2\n")
    assert origin(source)["COMMIT"] == f"{commit}-dirty"
    inner = source.parent / "unpacked"
    shutil.copytree(source, inner / "src")
    assert origin(inner / "src")["COMMIT"] == ""
