"""A run of a paper's comparison: its treebanks, settings and report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from dodona.settings import Settings
from dodona_papers.reporting.report import Command, Report
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.grid import Kept, Runnable, run_grid


@dataclass(frozen=True)
class Study:
    """What a paper's comparison is run over; `page` is the HTML report, if one is wanted.

    `command` is how it was called, and `note` what its author has to say of what was found: both
    stand first in the report.
    """

    name: str
    treebanks: list[TreebankFolder]
    n_seeds: int
    settings: Settings
    n_processes: int
    page: Path | None
    command: str = ""
    note: str = ""

    @property
    def seeds(self) -> list[int]:
        """The seeds 1, 2, …"""
        return list(range(1, self.n_seeds + 1))

    def run(
        self, jobs: Sequence[Runnable[Kept]], parse: Callable[[dict[str, Any]], Kept]
    ) -> list[Kept]:
        """Return the results of jobs; each is recorded in a file beside the page, to be reused."""
        path = self.page and self.page.with_suffix(".runs.jsonl")
        return run_grid(jobs, parse, path, n_processes=self.n_processes)

    def publish(self, report: Report, numbers: Mapping[str, Any]) -> None:
        """Print the report and, where there is a page, write it and say which files came of it.

        `numbers` is all that it tells, for machines: they go into a file of JSON.
        """
        console = Console()
        report.print(console)
        for path in self._write(self.page, report, numbers) if self.page else []:
            console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)

    def _write(self, page: Path, report: Report, numbers: Mapping[str, Any]) -> list[Path]:
        written = replace(report, lead=self._lead()).write(page)
        machine = page.with_suffix(".json")
        text = json.dumps({"experiment": self.name, **numbers}, indent=1)
        machine.write_text(text + "\n", encoding="utf-8", newline="\n")
        return [*written, machine]

    def _lead(self) -> list[Command | str]:
        command = [Command(self.command)] if self.command else []
        return [
            *command,
            *(" ".join(part.split()) for part in self.note.split("\n\n") if part.strip()),
        ]
