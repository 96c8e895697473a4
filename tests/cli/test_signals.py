"""A signal that asks us to end is obeyed in good order: its exit code, and nothing half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import dodona
from dodona.synthetic.generator import write_treebank
from support.small import parser

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
# whoever runs these tests in the background of a shell has them ignore SIGINT, and by nohup SIGHUP
HEARING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "signal.signal(signal.SIGHUP, signal.SIG_DFL)"
)
IGNORING = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
PATIENCE = 60  # seconds, of which a second is needed


def end(
    arguments: list[str | Path], number: int, when: Callable[[], bool], begin: str = HEARING
) -> subprocess.CompletedProcess[bytes]:
    """Send a signal to a command as soon as a condition holds; stdin stays open until then."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-c", f"{begin}; from dodona.cli import main; main()"]
    with subprocess.Popen([*command, *map(str, arguments)], **pipes) as process:
        deadline = time.monotonic() + PATIENCE
        while not when():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


@pytest.mark.parametrize(("number", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_output_that_is_not_complete_is_removed(number: str, code: int, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    out.write_bytes(b"old")
    parts = lambda: list(tmp_path.glob(".out.conllu.*.part"))  # noqa: E731
    done = end(["convert", "-", "-o", out], getattr(signal, number), lambda: bool(parts()))
    assert (done.returncode, done.stderr) == (code, b"interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out.conllu"]
    assert out.read_bytes() == b"old"


def test_training_saves_the_best_parser_and_its_checkpoint(tmp_path: Path) -> None:
    data, model = tmp_path / "train.conllu", tmp_path / "my.dodona"
    kept = tmp_path / "my.dodona.checkpoint"
    write_treebank(data, 200, seed=1)
    command: list[str | Path] = ["train", "--train", data, "-o", model, "--epochs", "10000"]
    done = end(command, signal.SIGTERM, kept.exists)
    assert done.returncode == 143
    assert b"interrupted: " in done.stderr and b"--resume" in done.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["my.dodona", "my.dodona.checkpoint", "train.conllu"]
    assert dodona.load(model).record["best_epoch"] > 0


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As `nohup` asks for."""
    model, out = tmp_path / "my.dodona", tmp_path / "out.conllu"
    parser().save(model)
    waiting = lambda: bool([*tmp_path.glob(".out.conllu.*.part")])  # noqa: E731
    done = end(["parse", model, "-", "-o", out], signal.SIGHUP, waiting, IGNORING)
    assert done.returncode == 0 and out.read_bytes() == b""
