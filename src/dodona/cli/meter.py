"""How far a long verb has come: on a terminal a bar with words/s and the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dodona.cli.errors import say
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.cli.opened import Opened

EVERY = 0.2  # seconds between two looks at it


class Meter:
    """Counts the words that come by and the bytes that were read; the others show more."""

    def __init__(self) -> None:
        self.n_words = 0
        self._before = 0  # bytes of the files that are done
        self._file: Opened | None = None

    def watch(self, file: Opened) -> None:
        """This file is being read now."""
        if self._file is not None:
            self._before += self._file.n_read
        self._file = file

    @property
    def n_read(self) -> int:
        """The bytes that were read so far."""
        return self._before + (self._file.n_read if self._file is not None else 0)

    def count(self, items: Iterable[Any]) -> Iterator[Any]:
        """The same items, counted."""
        for item in items:
            if isinstance(item, Sentence):
                self.n_words += len(item)
            yield item

    def close(self) -> None:
        """Nothing more comes."""


class Bar(Meter):
    """Shows a bar from the second look on, so that what is quick shows none; tells the speed."""

    def __init__(self, doing: str, n_bytes: int | None) -> None:
        super().__init__()
        self.doing, self.n_bytes = doing, n_bytes
        self.start = self.last = time.perf_counter()
        self._bar: Any = None
        self._task: Any = None

    def count(self, items: Iterable[Any]) -> Iterator[Any]:
        for number, item in enumerate(super().count(items)):
            if number % 64 == 0 and time.perf_counter() - self.last > EVERY:
                self._show()
            yield item

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        seconds = time.perf_counter() - self.start
        say(f"{self.n_words:,} words in {seconds:.2f} s: {self.n_words / seconds:,.0f} words/s")

    def _show(self) -> None:
        self.last = time.perf_counter()
        if self._bar is None:
            self._begin()
        speed = f"{self.n_words:,} words  {self.n_words / (self.last - self.start):,.0f} words/s"
        self._bar.update(self._task, completed=self.n_read, speed=speed)

    def _begin(self) -> None:
        from rich import progress
        from rich.console import Console

        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TextColumn("{task.fields[speed]}"),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self.doing, total=self.n_bytes, speed="")
        self._bar.start()


@contextmanager
def metered(doing: str, n_bytes: int | None) -> Iterator[Meter]:
    """What the user is to see of a task that reads so many bytes, if that is known."""
    meter = Bar(doing, n_bytes) if sys.stderr.isatty() else Meter()
    try:
        yield meter
    finally:
        meter.close()
