"""What every experiment begins and ends with: data, seeds and page; a report, shown and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from dodona.experiments.reporting.report import Report
from dodona.experiments.running.data import TreebankFolder, find_treebanks
from dodona.settings import Settings

QUICK_EPOCHS = 2


@dataclass(frozen=True)
class Frame:
    """What an experiment runs over; `page` is the HTML report, if one is wanted."""

    treebanks: list[TreebankFolder]
    n_seeds: int
    settings: Settings
    page: Path | None

    @property
    def runs(self) -> Path | None:
        """The file that keeps the results of single runs, beside the page."""
        return self.page and self.page.with_suffix(".runs.jsonl")

    def publish(self, report: Report, write: Callable[[Path], list[Path]]) -> None:
        """Print the report and, where there is a page, write it and tell which files came of it."""
        console = Console()
        report.print(console)
        for path in write(self.page) if self.page else []:
            console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)


def frame(
    name: str,
    settings: Settings,
    data: Path,
    treebanks: Sequence[str] | None,
    seeds: int,
    out: Path | None,
    quick: bool,
) -> Frame:
    """Find the treebanks and make the folder of the report.

    `out` is the HTML page, or the folder where to put it; Markdown, JSON, plots and the results of
    single runs stand beside it, and a second call goes on where the first was interrupted. `quick`
    is for trying out: the first treebank, one seed, two epochs.
    """
    if seeds < 1:
        raise ValueError(f"at least one seed is needed, not {seeds}")
    found = find_treebanks(data, treebanks)
    if quick:
        found, seeds = found[:1], 1
        settings = replace(settings, epochs=QUICK_EPOCHS, explore_after=1)
    page = None if out is None else out if out.suffix == ".html" else out / f"{name}.html"
    if page:
        page.parent.mkdir(parents=True, exist_ok=True)
    return Frame(found, seeds, settings, page)
