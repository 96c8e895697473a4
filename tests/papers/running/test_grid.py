"""Many jobs: what is done is not done again, whatever happened in between."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pytest

from dodona.storage.steps import StepError
from dodona_papers.running import grid
from dodona_papers.running.grid import JobResult, load_results, run_grid


@dataclass(frozen=True)
class Square(JobResult):
    """The result of an easy job."""

    value: int


RAN: list[int] = []


@dataclass(frozen=True)
class Squaring:
    """A job that fails for numbers below zero."""

    number: int

    def key(self) -> str:
        return str(self.number)

    def run(self) -> Square:
        RAN.append(self.number)
        if self.number < 0:
            raise MemoryError("too deep")
        return Square(self.key(), self.number**2)


@pytest.fixture(autouse=True)
def forget() -> None:
    RAN.clear()


def square(numbers: list[int], path: Path | None) -> list[int]:
    jobs = [Squaring(number) for number in numbers]
    return [result.value for result in run_grid(jobs, Square.from_record, path)]


def test_only_what_is_not_in_the_file_is_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    assert square([2, 3], path) == [4, 9]
    assert square([5, 3, 2], path) == [25, 9, 4]
    assert RAN == [2, 3, 5]
    assert square([2], None) == [4]
    assert RAN == [2, 3, 5, 2]


def test_half_a_line_is_run_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    square([2, 3], path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])  # killed while it wrote the last result
    assert square([2, 3], path) == [4, 9]
    assert RAN == [2, 3, 3]
    assert path.read_bytes() == whole


def test_an_error_keeps_the_results_before_it(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with pytest.raises(MemoryError):
        square([4, -1, 6], path)
    assert load_results(path, Square.from_record) == [Square("4", 16)]


@pytest.mark.parametrize("line", ["{}", "oak", "[1]", '{"key": "1", "value": 1, "more": 1}'])
def test_a_spoilt_line_is_told_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "runs.jsonl"
    square([2, 3], path)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(StepError, match=re.escape(f"{path}:3: not the record of a step: ")):
        square([2], path)


def test_at_least_one_job_runs_at_a_time() -> None:
    with pytest.raises(ValueError, match="jobs must be at least 1, not 0"):
        run_grid([Squaring(1)], Square.from_record, None, n_processes=0)


@pytest.mark.parametrize(("n_processes", "n_processors"), [(2, 5), (4, 4), (5, 2), (1, 3)])
def test_processes_share_the_processors(
    monkeypatch: pytest.MonkeyPatch, n_processes: int, n_processors: int
) -> None:
    kept: list[list[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(n_processors)}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, some: kept.append(some), raising=False)
    n_begun = get_context("spawn").Value("i", 0)
    for _ in range(n_processes):
        grid._keep_to_some_processors(n_begun, n_processes)
    assert all(kept)
    assert {number for some in kept for number in some} == {*range(n_processors)}
    if n_processes <= n_processors:  # nobody waits for another
        assert sum(map(len, kept)) == n_processors
