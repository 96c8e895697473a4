"""Streams that the shell has closed, or that cannot be written: one line that names them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
COMMAND = f"{shlex.quote(sys.executable)} -c 'from dodona.cli import main; main()'"
TREE = b"1\tSpeak\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "in.conllu").write_bytes(TREE)
    return subprocess.run(
        ["sh", "-c", command.replace("dodona", COMMAND)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("dodona convert in.conllu >&-", 1, "<stdout>: closed; give an output file"),
        ("dodona evaluate in.conllu in.conllu --json >&-", 1, "<stdout>: closed"),
        ("dodona --help >&-", 1, "<stdout>: closed"),
        ("dodona convert <&-", 1, "<stdin>: closed; give the name of a file"),
        ("dodona convert nowhere.conllu 2>&-", 1, ""),
        ("dodona convert --no-such-flag 2>&-", 2, ""),
        ("dodona convert nowhere.conllu >&- 2>&- <&-", 1, ""),
        ("dodona convert in.conllu -o out.conllu >&- 2>&- <&-", 0, ""),
    ],
)
def test_closed_streams(command: str, code: int, said: str, tmp_path: Path) -> None:
    done = shell(command, tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(said) and done.stderr.count("\n") == bool(said)
    if "-o" in command:
        assert (tmp_path / "out.conllu").read_bytes() == TREE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("buffering", ["", "1"])
@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("dodona convert in.conllu > /dev/full", "<stdout>"),
        ("dodona evaluate in.conllu in.conllu > /dev/full", "<stdout>"),
        ("dodona convert in.conllu -o /dev/full", "/dev/full"),
    ],
)
def test_a_full_disk_is_named(
    command: str, named: str, buffering: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", buffering)
    done = shell(command, tmp_path)
    assert done.stderr == f"{named}: No space left on device\n"
    assert done.returncode == 1
