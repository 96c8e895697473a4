"""Grids of jobs, whose results are recorded one by one in a journal (`dodona.storage.steps`).

An interrupted grid is resumed: a result is reused if the key of the job is the same, which covers
settings, templates, data and Dodona's core. Delete the file to run everything again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dodona.cli.progress import ProgressBar
from dodona.storage.steps import Journal, JournalFile
from dodona_papers.running.cluster import has_cluster, run_on_cluster

if TYPE_CHECKING:
    from typing_extensions import Self

ADVICE = "delete the line, or the file to run everything again"


@dataclass(frozen=True)
class JobResult:
    """The result of the job with this key; `str` gives a line for people."""

    key: str

    def to_record(self) -> dict[str, Any]:
        """Return the result as JSON data, as it is recorded."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """Return the result that a record holds."""
        return cls(**record)


Kept = TypeVar("Kept", bound=JobResult)
Found = TypeVar("Found", bound=JobResult, covariant=True)


class Runnable(Protocol[Found]):
    """A job, which is pickled for other processes."""

    def key(self) -> str:
        """Return a digest of everything that decides the result."""

    def run(self) -> Found:
        """Run the job and return its result; write nothing."""


def run_grid(
    jobs: Sequence[Runnable[Kept]],
    parse: Callable[[dict[str, Any]], Kept],
    path: Path | None,
    *,
    n_processes: int = 1,
    store: Callable[[Kept], None] | None = None,
) -> list[Kept]:
    """Return the results of all jobs, in order; those in the file at `path` are not run again.

    `parse` turns a record of the file into a result. Without a path, results are not recorded.
    `store` is called with each new result before it is recorded, to keep what the record does not
    contain. If `RAY_ADDRESS` is set, jobs run on that Ray cluster, and `n_processes` is ignored.

    >>> run_grid([], JobResult.from_record, None)
    []
    """
    if n_processes < 1:
        raise ValueError(f"jobs must be at least 1, not {n_processes}")
    journal = _open_journal(path, parse) if path else None
    done = {**journal.steps} if journal else {}
    todo = [job for job in jobs if job.key() not in done]
    n_before = len(jobs) - len(todo)
    with ProgressBar("training", len(jobs)) as bar:
        for n_done, result in enumerate(_run_all(todo, n_processes), start=n_before + 1):
            if store:
                store(result)
            if journal:
                journal.add(result.key, result.to_record())
            done[result.key] = result
            bar.update(n_done)
            bar.print(f"{n_done}/{len(jobs)} {result}")
    return [done[job.key()] for job in jobs]


def load_results(path: Path, parse: Callable[[dict[str, Any]], Kept]) -> list[Kept]:
    """Return the results in a file, if it exists; an incomplete last line is removed."""
    return list(_open_journal(path, parse).steps.values())


def _open_journal(path: Path, parse: Callable[[dict[str, Any]], Kept]) -> Journal[Kept]:
    return Journal(JournalFile(path), parse, key="key", advice=ADVICE)


def _run_all(jobs: Sequence[Runnable[Kept]], n_processes: int) -> Iterator[Kept]:
    if has_cluster() and jobs:
        yield from run_on_cluster(_run, jobs)
        return
    if n_processes == 1 or len(jobs) < 2:
        yield from map(_run, jobs)
        return
    left = iter(jobs)
    context = get_context("spawn")  # the same on every system, and safe with threads
    shared = context.Value("i", 0), n_processes
    with ProcessPoolExecutor(n_processes, context, _keep_to_some_processors, shared) as pool:
        running = {pool.submit(_run, job) for job in islice(left, n_processes)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            # no job is submitted in advance: Ctrl-C would have to wait for it
            running |= {pool.submit(_run, job) for job in islice(left, len(done))}
            yield from (future.result() for future in done)


def _keep_to_some_processors(n_begun: Any, n_processes: int) -> None:
    """Restrict a process to its share of the processors, so that threads do not compete.

    Not every system supports this.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    with n_begun.get_lock():
        number = n_begun.value
        n_begun.value += 1
    processors = sorted(os.sched_getaffinity(0))
    first = number % min(n_processes, len(processors))
    os.sched_setaffinity(0, processors[first::n_processes])


def _run(job: Runnable[Kept]) -> Kept:
    return job.run()
