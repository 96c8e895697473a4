"""Many runs: each result is kept in a file as soon as it is there, so an interrupted grid goes on.

The file is JSON lines, one result a line (`runs.Result`). A result is used again where settings,
templates, data and our version are the same; delete the file to run everything anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from dodona.experiments.running.data import TreebankFolder
from dodona.experiments.running.runs import Job, Result, run
from dodona.settings import Settings
from dodona.treebank.conllu.errors import TreebankError


def grid(
    treebanks: Sequence[TreebankFolder], variants: dict[str, Settings], n_seeds: int
) -> list[Job]:
    """Every treebank with every variant and the seeds 1, 2, …; a whole comparison seed by seed."""
    return [
        Job(treebank, name, replace(settings, seed=seed))
        for seed in range(1, n_seeds + 1)
        for treebank in treebanks
        for name, settings in variants.items()
    ]


def run_grid(jobs: Sequence[Job], path: Path | None, *, n_processes: int = 1) -> list[Result]:
    """The results of all jobs, in their order; those already in the file at `path` are not rerun.

    Without a path nothing is kept.

    >>> run_grid([], None)
    []
    """
    if n_processes < 1:
        raise ValueError(f"at least one job at a time is needed, not {n_processes}")
    done = {result.key: result for result in load_results(path)} if path else {}
    todo = [job for job in jobs if job.key() not in done]
    with _progress(len(jobs), len(jobs) - len(todo)) as report:
        for result in _run_all(todo, n_processes):
            if path:
                _keep(result, path)
            done[result.key] = result
            report(result)
    return [done[job.key()] for job in jobs]


def _keep(result: Result, path: Path) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(result.to_json() + "\n")


def load_results(path: Path) -> list[Result]:
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
            results.append(Result.from_json(line))
        except ValueError as error:
            message = f"{error}; delete the line, or the file to run everything anew"
            raise TreebankError(str(path), number, message) from error
    return results


def _run_all(jobs: Sequence[Job], n_processes: int) -> Iterator[Result]:
    if n_processes == 1 or len(jobs) < 2:
        yield from map(run, jobs)
        return
    left = iter(jobs)
    # spawn: the same on every system, and safe where threads run
    with ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(run, job) for job in islice(left, n_processes)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            # none is submitted ahead of its time: Ctrl-C would have to wait for it
            running |= {pool.submit(run, job) for job in islice(left, len(done))}
            yield from (future.result() for future in done)


@contextmanager
def _progress(n_jobs: int, n_done: int) -> Iterator[Callable[[Result], None]]:
    """Tell of each result: a bar where standard error is a terminal, a line elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        left = iter(range(n_done + 1, n_jobs + 1))
        yield lambda result: print(f"{next(left)}/{n_jobs} {_line(result)}", file=sys.stderr)
        return
    columns = [*Progress.get_default_columns()[:2], MofNCompleteColumn()]
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task("training", total=n_jobs, completed=n_done)

        def advance(result: Result) -> None:
            bar.console.print(_line(result), highlight=False)
            bar.advance(task)

        yield advance


def _line(result: Result) -> str:
    scores = result.test["words"]
    return (
        f"{result.treebank} {result.variant} seed {result.seed}: "
        f"UAS {scores.uas:.2f} LAS {scores.las:.2f} in {result.seconds:.0f} s"
    )
