"""Many jobs: each result is kept in a file as soon as it is there, so an interrupted grid goes on.

The file is JSON lines, one result a line. A result is used again where the job's key is the same:
settings, templates, data and our core; delete the file to run everything anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol, TypeVar

from dodona.cli.progress import ProgressBar
from dodona.treebank.conllu.errors import TreebankError
from dodona_papers.running.cluster import has_cluster, run_on_cluster


class Keepable(Protocol):
    """What comes of a job; as text (`str`) it is a line for people."""

    @property
    def key(self) -> str:
        """The job's."""

    def to_json(self) -> str:
        """One line of JSON."""


Kept = TypeVar("Kept", bound=Keepable)
Found = TypeVar("Found", bound=Keepable, covariant=True)


class Runnable(Protocol[Found]):
    """A job; it travels to other processes."""

    def key(self) -> str:
        """A digest of all that decides its result."""

    def run(self) -> Found:
        """Do it; nothing is written."""


def run_grid(
    jobs: Sequence[Runnable[Kept]],
    load: Callable[[str], Kept],
    path: Path | None,
    *,
    n_processes: int = 1,
    store: Callable[[Kept], None] | None = None,
) -> list[Kept]:
    """The results of all jobs, in their order; those already in the file at `path` are not rerun.

    `load` makes a result from a line of the file. Without a path nothing is kept. What a line does
    not hold is for `store`, which is called with each new result before its line is written. Where
    `RAY_ADDRESS` names a cluster of Ray, jobs run there, and `n_processes` is not asked.

    >>> run_grid([], lambda line: None, None)
    []
    """
    if n_processes < 1:
        raise ValueError(f"at least one job at a time is needed, not {n_processes}")
    done = {result.key: result for result in load_results(path, load)} if path else {}
    todo = [job for job in jobs if job.key() not in done]
    n_before = len(jobs) - len(todo)
    with ProgressBar("training", len(jobs)) as bar:
        for n_done, result in enumerate(_run_all(todo, n_processes), start=n_before + 1):
            if store:
                store(result)
            if path:
                _keep(result, path)
            done[result.key] = result
            bar.update(n_done)
            bar.print(f"{n_done}/{len(jobs)} {result}")
    return [done[job.key()] for job in jobs]


def _keep(result: Keepable, path: Path) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(result.to_json() + "\n")


def load_results(path: Path, load: Callable[[str], Kept]) -> list[Kept]:
    """The results in a file, none if it does not exist; half a line at its end is cut off."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    if text and not text.endswith("\n"):  # killed while writing
        text = text[: text.rfind("\n") + 1]
        path.write_text(text, encoding="utf-8", newline="\n")
    results = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            results.append(load(line))
        except (ValueError, KeyError, TypeError) as error:
            message = f"no result of a run: {error}; delete the line, or the file to run all anew"
            raise TreebankError(str(path), number, message) from error
    return results


def _run_all(jobs: Sequence[Runnable[Kept]], n_processes: int) -> Iterator[Kept]:
    if has_cluster() and jobs:
        yield from run_on_cluster(_run, jobs)
        return
    if n_processes == 1 or len(jobs) < 2:
        yield from map(_run, jobs)
        return
    left = iter(jobs)
    context = get_context("spawn")  # the same on every system, and safe where threads run
    shared = context.Value("i", 0), n_processes
    with ProcessPoolExecutor(n_processes, context, _keep_to_some_processors, shared) as pool:
        running = {pool.submit(_run, job) for job in islice(left, n_processes)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            # none is submitted ahead of its time: Ctrl-C would have to wait for it
            running |= {pool.submit(_run, job) for job in islice(left, len(done))}
            yield from (future.result() for future in done)


def _keep_to_some_processors(n_begun: Any, n_processes: int) -> None:
    """Each process takes its share: threads for all processors in each of them would get in each
    other's way. Not every system lets a process choose."""
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
