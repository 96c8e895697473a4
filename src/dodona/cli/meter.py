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

    def add(self, n_words: int) -> None:
        """So many words more are done."""
        self.n_words += n_words
        self.tick()

    def tick(self) -> None:
        """Some more was done."""

    def close(self) -> None:
        """Nothing more comes."""


class Bar(Meter):
    """Shows a bar, but not for what is quick; at the end it may tell the speed in any case.

    It measures what is done in bytes that were read or, of what reads nothing, in words.
    """

    def __init__(
        self, doing: str, total: int | None, tells_speed: bool, by_words: bool = False
    ) -> None:
        super().__init__()
        self.doing, self.total = doing, total
        self.tells_speed, self.by_words = tells_speed, by_words
        self.start = self.last = time.perf_counter()
        self._bar: Any = None
        self._task: Any = None

    def count(self, items: Iterable[Any]) -> Iterator[Any]:
        for number, item in enumerate(super().count(items)):
            if number % 64 == 0:
                self.tick()
            yield item

    def tick(self) -> None:
        if time.perf_counter() - self.last > EVERY:
            self._show()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        if not self.tells_speed:
            return
        seconds = time.perf_counter() - self.start
        say(f"{self.n_words:,} words in {seconds:.2f} s: {self.n_words / seconds:,.0f} words/s")

    def _show(self) -> None:
        self.last = time.perf_counter()
        if self._bar is None:
            self._begin()
        speed = ""
        if self.n_words:
            per_second = self.n_words / (self.last - self.start)
            speed = f"{self.n_words:,} words  {per_second:,.0f} words/s"
        completed = self.n_words if self.by_words else self.n_read
        self._bar.update(self._task, completed=completed, speed=speed)

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
        self._task = self._bar.add_task(self.doing, total=self.total, speed="")
        self._bar.start()


@contextmanager
def metered(doing: str, n_bytes: int | None, *, tells_speed: bool = False) -> Iterator[Meter]:
    """What the user is to see of a task that reads so many bytes, if that is known."""
    meter = Bar(doing, n_bytes, tells_speed) if sys.stderr.isatty() else Meter()
    try:
        yield meter
    finally:
        meter.close()


@contextmanager
def counted(doing: str, n_words: int) -> Iterator[Meter]:
    """The same of a task that goes through so many words, and `add`s those that are done."""
    is_seen = sys.stderr.isatty()
    meter = Bar(doing, n_words, tells_speed=False, by_words=True) if is_seen else Meter()
    try:
        yield meter
    finally:
        meter.close()
