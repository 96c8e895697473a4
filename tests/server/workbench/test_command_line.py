"""`dodona annotate` in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="the client of these tests")

import httpx

from support.annotate_lab import PRIEST, bare
from support.server_process import HANG_SECONDS

pytestmark = pytest.mark.thorough

COMMAND = (sys.executable, "-c", "from dodona.cli import main; main()", "annotate")
only_posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


@contextmanager
def running(*arguments: str | Path) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """Start the command, and open its page by the address that it prints."""
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            greeting = process.stderr.readline()
            found = re.search(r"(http://127\.0\.0\.1:\d+)(/\?token=\S+)", greeting)
            assert found, greeting + process.stderr.read()
            with httpx.Client(base_url=found[1], timeout=HANG_SECONDS) as client:
                assert client.get(found[2]).status_code == 200
                yield process, client
        finally:
            process.kill()


def failure(*arguments: str | Path) -> str:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode != 0
    return done.stderr


def attach(client: httpx.Client) -> None:
    view = client.get("/api/sentence?index=0").json()
    change = {"kind": "set-arc", "word": 1, "head": 2, "deprel": "obj"}
    body = {"index": 0, "revision": view["revision"], "change": change}
    assert client.post("/api/change", json=body).status_code == 200


@only_posix
def test_the_file_is_written_when_the_command_ends(tmp_path: Path) -> None:
    path = tmp_path / "corpus.conllu"
    path.write_text(bare(3) + PRIEST, encoding="utf-8")
    with running(path) as (process, client):
        attach(client)
        refused = failure(path)  # a second process on the same file
        assert str(process.pid) in refused and "corpus.conllu" in refused
        process.send_signal(signal.SIGTERM)
        assert process.wait(HANG_SECONDS) == 0
    text = path.read_text(encoding="utf-8")
    assert "1\tw1\t_\t_\t_\t_\t2\tobj\t_\tArc=Set\n" in text
    assert text.endswith(PRIEST)


@only_posix
def test_a_killed_workbench_comes_back_with_everything(tmp_path: Path) -> None:
    path = tmp_path / "corpus.conllu"
    path.write_text(bare(3), encoding="utf-8")
    with running(path) as (process, client):
        attach(client)
        process.kill()
    with running(path) as (_, client):
        view = client.get("/api/sentence?index=0").json()
        assert (view["words"][0]["head"], view["words"][0]["arc"]) == (2, "set")
        assert client.post("/api/undo", json={}).json()["words"][0]["head"] is None


def test_the_lesson_begins_with_a_text(tmp_path: Path) -> None:
    with running(tmp_path / "lesson.txt", "--lesson") as (_, client):
        assert client.get("/api/settings").json()["lesson"]
        assert client.get("/api/overview").json()["n_sentences"] == 60
        assert client.get("/api/sentence?index=0").json()["words"][-1]["form"] == "."


def test_wrong_arguments_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "corpus.conllu"
    path.write_text(PRIEST, encoding="utf-8")
    assert "nowhere.conllu" in failure(tmp_path / "nowhere.conllu")
    assert "other.conllu: No such file" in failure(path, "--other", tmp_path / "other.conllu")
    assert "call it" in failure(tmp_path / "new.conllu", "--lesson")
    assert failure(path, "--model", "klingon-model") != ""
