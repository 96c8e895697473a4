"""Journals of steps: what is recorded survives a kill, and what does not fit is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dodona.storage import steps as module
from dodona.storage.steps import Journal, JournalFile, StepError

HEADER = {"model": "abc", "settings": {"level": "word", "keep": ("a",)}}
WORK = """
import sys
from pathlib import Path
from dodona.storage.atomic import atomic_write
from dodona.storage.steps import Journal, JournalFile

folder = Path(sys.argv[1])
journal = Journal(JournalFile(folder / "steps.jsonl", locked=True), dict, {"seed": 1})
for number in range(200):
    if f"step-{number}" not in journal.steps:
        with atomic_write(folder / f"step-{number}") as file:
            file.write(b"oak" * 1000)
        journal.add(f"step-{number}", {"size": 3000})
"""


def read_step(record: dict[str, Any]) -> int:
    return int(record["size"])


def open_journal(path: Path, header: dict[str, Any] | None = None, **options: Any) -> Journal[int]:
    return Journal(JournalFile(path), read_step, HEADER if header is None else header, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of two steps."""
    path = tmp_path / "run" / "steps.jsonl"
    journal = open_journal(path)
    journal.add("a", {"size": 1})
    journal.add("b", {"size": 2})
    return path


def test_a_journal_is_lines_of_json_with_a_header(path: Path) -> None:
    header, *records = map(json.loads, path.read_bytes().splitlines())
    assert header == {"dodona": 1, "model": "abc", "settings": {"level": "word", "keep": ["a"]}}
    assert records == [{"part": "a", "size": 1}, {"part": "b", "size": 2}]
    assert open_journal(path).steps == {"a": 1, "b": 2}


def test_a_run_without_a_step_leaves_nothing(tmp_path: Path) -> None:
    open_journal(tmp_path / "run" / "steps.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_later_record_replaces_an_earlier_one(path: Path) -> None:
    open_journal(path).add("a", {"size": 7})
    assert open_journal(path).steps == {"a": 7, "b": 2}


def test_a_torn_write_at_any_byte_costs_one_step(path: Path) -> None:
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        journal = open_journal(path)
        n_steps = max(sum(end <= cut for end in ends) - 1, 0)
        assert len(journal.steps) == n_steps
        journal.add("c", {"size": 3})
        assert len(open_journal(path).steps) == n_steps + 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "Expecting property name"),
        (b"", "Expecting value"),
        (b"[1]", "not a JSON object"),
        (b'{"size": 1}', "'part' is missing"),
        (b'{"part": "c"}', "'size' is missing"),
        (b'{"part": "c", "size": "many"}', "invalid literal"),
        (b'{"part": "c", "size": []}', "int()"),
        (b"\xff", "utf-8"),
    ],
)
def test_a_damaged_line_is_named(path: Path, line: bytes, why: str) -> None:
    before, after = path.read_bytes().splitlines(keepends=True)[:2], b'{"part": "d", "size": 4}\n'
    path.write_bytes(b"".join(before) + line + b"\n" + after)
    with pytest.raises(StepError, match=r"steps\.jsonl:3: not the record of a step: ") as error:
        open_journal(path, advice="remove the line")
    assert why in str(error.value) and str(error.value).endswith("; remove the line")


def test_a_damaged_header_is_named(path: Path) -> None:
    path.write_bytes(b"{\n")
    with pytest.raises(StepError, match=r"steps\.jsonl:1: "):
        open_journal(path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": "x"}, "made with another model: 'abc', now 'x'; start another run"),
        ({"settings": {"level": "x", "keep": ["a"]}}, "another settings.level: 'word', now 'x'"),
        ({"settings": 1}, "another settings: {'level': 'word', 'keep': ['a']}, now 1"),
        ({"seed": 1}, "made with another seed: None, now 1"),
    ],
)
def test_a_run_of_something_else_is_refused(path: Path, changed: dict[str, Any], said: str) -> None:
    before = path.read_bytes()
    with pytest.raises(StepError) as error:
        open_journal(path, HEADER | changed)
    assert said in str(error.value) and path.read_bytes() == before
    assert open_journal(path, {**HEADER, "settings": {"level": "word", "keep": ["a"]}}).steps


def test_another_version_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VERSION", 2)
    with pytest.raises(StepError, match="made with another dodona: 1, now 2"):
        open_journal(path)


def test_results_without_a_header_are_named_by_a_key(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"key": "k1", "size": 5}\n')
    journal = Journal(JournalFile(path), read_step, key="key")
    journal.add("k2", {"size": 6})
    assert Journal(JournalFile(path), read_step, key="key").steps == {"k1": 5, "k2": 6}


def test_a_full_disk_names_the_journal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = open_journal(path)
    path.unlink()
    path.symlink_to("/dev/full")
    if not path.exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(OSError, match="No space left") as error:
        journal.add("c", {"size": 3})
    assert error.value.filename == str(path) and "c" not in journal.steps


@pytest.mark.skipif(os.name == "nt", reason="Windows has no flock")
def test_a_locked_journal_is_opened_once(path: Path) -> None:
    first = JournalFile(path, locked=True)
    with pytest.raises(StepError, match="another run is at work in this folder"):
        JournalFile(path, locked=True, name="out")
    first.close()
    JournalFile(path, locked=True).close()


@pytest.mark.parametrize("data", [b"precious", b"{", b'{"part": "a"}\n{"part', b'{"dodona": 1}\nx'])
def test_a_file_that_is_no_journal_of_this_run_is_left_as_it_is(
    tmp_path: Path, data: bytes
) -> None:
    """The last line without a line end was cut off before anything was checked."""
    path = tmp_path / "steps.jsonl"
    path.write_bytes(data)
    if data == b"{":  # the beginning of a header
        assert not open_journal(path).steps
        return
    with pytest.raises(StepError):
        open_journal(path)
    assert path.read_bytes() == data


def test_a_lock_without_a_step_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    JournalFile(path, locked=True).close()
    assert not path.exists()
    file = JournalFile(path, locked=True)
    Journal(file, read_step, HEADER).add("a", {"size": 1})
    file.close()
    assert open_journal(path).steps == {"a": 1}


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no open file")
def test_a_locked_journal_that_is_removed_is_not_begun_again(path: Path) -> None:
    file = JournalFile(path, locked=True)
    journal = Journal(file, read_step, HEADER)
    path.unlink()
    with pytest.raises(StepError, match="removed or replaced while the run was at work"):
        journal.add("c", {"size": 3})
    file.close()
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_run_is_resumed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORK, str(tmp_path)]
    path = tmp_path / "steps.jsonl"
    for n_lines in (3, 40):
        process = subprocess.Popen(command)
        while not path.exists() or path.read_bytes().count(b"\n") < n_lines:
            assert process.poll() is None
            time.sleep(0.001)
        process.kill()
        process.wait()
        recorded = Journal(JournalFile(path), dict, {"seed": 1}).steps
        assert all((tmp_path / name).stat().st_size == 3000 for name in recorded)
    subprocess.run(command, check=True)
    assert len(Journal(JournalFile(path), dict, {"seed": 1}).steps) == 200
    assert len(path.read_bytes().splitlines()) == 201, "no step is done twice"
