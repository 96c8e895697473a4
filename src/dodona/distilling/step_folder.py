"""Folders of the steps of a recipe: the files of a step, and a journal of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dodona.storage.steps import Journal, LocalFile, StepError

JOURNAL = "steps.jsonl"
EARLIER_JOURNAL = "manifest.json"
DONE = "done"  # the record of a complete step
ADVICE = "remove the folder to repeat this step, or choose another one by --work"


class StepFolder:
    """One step: files that are recorded when they are complete, then a summary.

    `made_from` holds settings and digests of inputs; a folder made from others is refused.
    """

    def __init__(self, folder: Path, made_from: dict[str, Any]) -> None:
        if (folder / EARLIER_JOURNAL).exists():
            raise StepError(f"{folder}: made by an earlier version of Dodona; {ADVICE}")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        file = LocalFile(folder / JOURNAL)
        self._journal: Journal[dict[str, Any]] = Journal(file, dict, made_from, advice=ADVICE)

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        """Return the records of complete files by name."""
        return {name: about for name, about in self._journal.steps.items() if name != DONE}

    @property
    def summary(self) -> dict[str, Any]:
        """Return the summary of a complete step; empty before."""
        return self._journal.steps.get(DONE, {})

    @property
    def is_done(self) -> bool:
        """Return whether the step is complete and all its files exist."""
        return DONE in self._journal.steps and all(map(self.has, self.files))

    def has(self, name: str) -> bool:
        """Return whether this file is recorded and exists."""
        return name in self._journal.steps and (self.folder / name).exists()

    def paths(self) -> list[Path]:
        """Return the paths of all files, sorted."""
        return [self.folder / name for name in sorted(self.files)]

    def add(self, name: str, **about: Any) -> None:
        """Record a complete file."""
        self._journal.add(name, about)

    def finish(self, **summary: Any) -> None:
        """Record that the step is complete."""
        self._journal.add(DONE, summary)

    def single_file(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the path of the only file of this step; `make` writes it unless it is done."""
        path = self.folder / name
        if not self.is_done:
            make(path)
            self.add(name)
            self.finish()
        return path
