"""Killed at any moment, and then what a user does next: the same result, and no debris.

Each test kills a few times. `DODONA_KILLS=20 pytest tests/cli/test_killed.py` kills more often.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

import dodona
from dodona.synthetic.generator import write_treebank
from support.small import enhanced, parser

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
KILLS = int(os.environ.get("DODONA_KILLS", "2"))
START = [sys.executable, "-c", "from dodona.cli import main; main()"]


def finish(command: Sequence[object]) -> float:
    """Run a command to its end, and say how long it took."""
    start = time.monotonic()
    done = subprocess.run([*START, *map(str, command)], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    return time.monotonic() - start


def kill(command: Sequence[object], seconds: float) -> bool:
    """Kill a command after some time; False if it was ready before."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*START, *map(str, command)], **quiet)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    assert process.returncode == 0
    return False


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for name, size in {"train": 40, "dev": 10, "large": 3000}.items():
        write_treebank(folder / f"{name}.conllu", size, seed=size, nonprojective=0.2)
        if name != "large":
            graphs = [*map(enhanced, dodona.read(folder / f"{name}.conllu"))]
            with dodona.Writer(folder / f"{name}.conllu") as writer:
                for sentence in graphs:
                    writer.write(sentence)
    parser().save(folder / "my.dodona")
    return folder


COMMANDS = {
    "train": "train --pipeline text --graph basic+enhanced --epochs 2 --train {0} --dev {1} -o {2}",
    "tag": "tag --train {0} --dev {1} --epochs 6 -o {2}",
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_training_goes_on_to_the_same_bytes(verb: str, data: Path, tmp_path: Path) -> None:
    files = data / "train.conllu", data / "dev.conllu"
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    seconds = finish(COMMANDS[verb].format(*files, tmp_path / "whole" / "model").split())
    model = tmp_path / "killed" / "model"
    command = COMMANDS[verb].format(*files, model).split()
    random, n_killed = Random(verb), 0
    for _ in range(3 * KILLS):
        kept = Path(f"{model}.checkpoint").exists()
        was_killed = kill([*command, *["--resume"] * kept], random.uniform(0.15, 1.1) * seconds)
        n_killed += was_killed
        if not was_killed:  # another run begins anew
            seconds *= 0.7  # nobody else is busy here any more
            assert model.read_bytes() == (tmp_path / "whole" / "model").read_bytes()
            assert names(model.parent) == ["model"]
            model.unlink()
        if n_killed == KILLS:
            break
    kept = Path(f"{model}.checkpoint").exists()
    finish([*command, *["--resume"] * kept])
    assert n_killed
    assert model.read_bytes() == (tmp_path / "whole" / "model").read_bytes()
    assert names(model.parent) == ["model"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["out.conllu", "out.conllu.gz"])
def test_output_is_old_or_new(name: str, data: Path, tmp_path: Path) -> None:
    out = tmp_path / name
    command = ["parse", data / "my.dodona", data / "large.conllu", "-o", out]
    seconds = finish(command)
    new, old = out.read_bytes(), b"old"
    random = Random(name)
    for _ in range(2 * KILLS):
        out.write_bytes(old)
        was_killed = kill(command, random.uniform(0.3, 1.05) * seconds)
        assert out.read_bytes() in ([old, new] if was_killed else [new])
        assert len(names(tmp_path)) <= 2  # what is left is swept each time
    finish(command)
    assert out.read_bytes() == new
    assert names(tmp_path) == [name]


SAVING = """
import sys, dodona
from support.small import parser
model = parser()
model.record["padding"] = "x" * 3_000_000
print("ready", flush=True)
while True:
    model.save(sys.argv[1])
"""


@pytest.mark.thorough
def test_a_model_that_is_being_saved_is_always_whole(tmp_path: Path) -> None:
    path = tmp_path / "model"
    random = Random(1)
    folder = str(Path(__file__).parent.parent)
    for _ in range(2 * KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVING, str(path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": folder},
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(random.uniform(0.05, 0.3))
        process.kill()
        process.communicate()
        if path.exists():
            dodona.load(path)
        assert len(names(tmp_path)) <= 2
    parser().save(path)
    assert names(tmp_path) == ["model"]
    assert dodona.load(path).to_bytes() == parser().to_bytes()


@pytest.mark.thorough
def test_a_server_starts_again_where_it_was(data: Path) -> None:
    pytest.importorskip("starlette", reason="the server is not installed")
    port, random = "0", Random(1)
    for _ in range(KILLS + 1):
        command = [*START, "serve", str(data / "my.dodona"), "--port", port]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        try:
            assert process.stderr is not None
            said = process.stderr.readline().decode()
            address = next(word for word in said.split() if word.startswith("http://"))
            port = address.rstrip("/").rpartition(":")[2]
            with urllib.request.urlopen(f"{address}health", timeout=30) as answer:
                assert answer.status == 200
            _ask(address, (data / "large.conllu").read_bytes())
            time.sleep(random.uniform(0, 0.2))
        finally:
            process.kill()
            process.communicate()


def _ask(address: str, body: bytes) -> None:
    """Begin a request, and do not wait for its answer."""
    import socket

    host, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        head = f"POST /api/parse HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body[:100_000])
