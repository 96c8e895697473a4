"""The progress bar of long commands: shown on stderr where that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dodona.cli.errors import say
from dodona.cli.streams import printable
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.cli.input_files import InputFile

INTERVAL = 0.2  # seconds between two updates of a meter


class ProgressBar:
    """A bar with a note and the time left, below the lines that are printed meanwhile.

    It appears with the first update, and disappears when closed. Where stderr is no terminal, only
    the lines are printed; with `quiet` nothing is.
    """

    def __init__(self, task: str, total: float | None = None, *, quiet: bool = False) -> None:
        self.task, self.total, self.quiet = task, total, quiet
        self.is_shown = not quiet and sys.stderr.isatty()
        self._bar: Any = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(
        self, completed: float, total: float | None = None, *, note: str = "", task: str = ""
    ) -> None:
        """Show how much is completed; a total or a task that is given replaces the earlier one."""
        if self.is_shown:
            self.total, self.task = total or self.total, task or self.task
            self._rich().update(
                0, completed=completed, total=self.total, description=self.task, note=note
            )

    def print(self, line: str, style: str = "") -> None:
        """Print a line above the bar."""
        if self._bar is not None:
            from rich.text import Text

            self._bar.console.print(Text(printable(line), style), soft_wrap=True)
        elif not self.quiet:
            say(line)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _rich(self) -> Any:
        if self._bar is None:
            from rich import progress
            from rich.console import Console

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.TaskProgressColumn(),
                progress.TextColumn("{task.fields[note]}"),
                progress.TimeRemainingColumn(),
                console=Console(stderr=True, highlight=False),
                transient=True,
            )
            self._bar.add_task(self.task, total=self.total, note="")
            self._bar.start()
        return self._bar


class Meter:
    """A progress bar that counts the words processed and the bytes read, for tasks of any length.

    The total is in bytes of the files that are read or, with `by_words`, in words. With
    `reports_speed`, the speed is printed at the end.
    """

    def __init__(
        self,
        task: str,
        total: int | None,
        *,
        by_words: bool = False,
        reports_speed: bool = False,
        quiet: bool = False,
    ) -> None:
        self.bar = ProgressBar(task, total, quiet=quiet)
        self.by_words, self.reports_speed = by_words, reports_speed
        self.n_words = 0
        self._n_bytes_before = 0  # in the files before the current one
        self._file: InputFile | None = None
        self._start = self._last = time.perf_counter()

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()
        if self.reports_speed and self.bar.is_shown:
            seconds = time.perf_counter() - self._start
            say(f"{self.n_words:,} words in {seconds:.2f} s: {self.n_words / seconds:,.0f} words/s")

    def watch(self, file: InputFile) -> None:
        """Count the bytes of the file that is read next."""
        self._n_bytes_before = self.n_read
        self._file = file

    @property
    def n_read(self) -> int:
        return self._n_bytes_before + (self._file.n_read if self._file is not None else 0)

    def count(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items, and count the words of sentences among them."""
        if not self.bar.is_shown:
            yield from items
            return
        for number, item in enumerate(items):
            if isinstance(item, Sentence):
                self.n_words += len(item)
            if number % 64 == 0:
                self.tick()
            yield item

    def add(self, n_words: int) -> None:
        """Count words."""
        self.n_words += n_words
        self.tick()

    def tick(self) -> None:
        """Update the bar, if the last update is some time ago: quick tasks show none."""
        now = time.perf_counter()
        if self.bar.is_shown and now - self._last > INTERVAL:
            self._last = now
            speed = f"{self.n_words:,} words  {self.n_words / (now - self._start):,.0f} words/s"
            completed = self.n_words if self.by_words else self.n_read
            self.bar.update(completed, note=speed if self.n_words else "")
