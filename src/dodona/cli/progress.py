"""How training goes: a bar where stderr is a terminal, elsewhere a line per epoch, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dodona.cli.errors import say

if TYPE_CHECKING:
    from dodona.parsing.trainer import Trainer
    from dodona.training.loop import Epoch, Progress


@contextmanager
def view(trainer: Trainer, quiet: bool) -> Iterator[View]:
    """What the user is to see of this run."""
    kind = View if quiet else Bar if sys.stderr.isatty() else Lines
    shown = kind(trainer)
    try:
        yield shown
    finally:
        shown.close()


class View:
    """Shows nothing; the others show more."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer

    def advance(self, progress: Progress) -> None:
        """An epoch goes on."""

    def finish(self, epoch: Epoch) -> None:
        """An epoch is complete."""

    def close(self) -> None:
        """Nothing more comes."""


class Lines(View):
    """One plain line per epoch."""

    def __init__(self, trainer: Trainer) -> None:
        super().__init__(trainer)
        for line in describe_data(trainer):
            say(line)

    def finish(self, epoch: Epoch) -> None:
        say(describe_epoch(epoch, self.trainer))


class Bar(View):
    """A bar for the epoch at hand, below the lines of those that are complete."""

    def __init__(self, trainer: Trainer) -> None:
        from rich import progress
        from rich.console import Console

        super().__init__(trainer)
        self.console = Console(stderr=True, highlight=False)
        self.bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TextColumn("{task.fields[speed]}"),
            progress.TimeRemainingColumn(),
            console=self.console,
            transient=True,
        )
        for line in describe_data(trainer):
            self._print(line)
        self.task = self.bar.add_task("epoch", total=None, speed="")
        self.bar.start()

    def advance(self, progress: Progress) -> None:
        n_before = (progress.epoch_number - 1) * progress.n_sentences
        self.bar.update(
            self.task,
            total=progress.n_epochs * progress.n_sentences,
            completed=n_before + progress.n_done,
            description=f"epoch {progress.epoch_number}",
            speed=f"{progress.n_updates:,} updates  {progress.words_per_second:,.0f} words/s",
        )

    def finish(self, epoch: Epoch) -> None:
        self._print(describe_epoch(epoch, self.trainer), "bold" if epoch.is_best else "")

    def close(self) -> None:
        self.bar.stop()

    def _print(self, line: str, style: str = "") -> None:
        from rich.text import Text

        self.console.print(Text(line, style), soft_wrap=True)


def describe_data(trainer: Trainer) -> list[str]:
    """What there is to learn from, and what is done about trees that cannot be derived."""
    data, settings = trainer.task.data, trainer.settings
    if trainer.task.system.builds_graphs:
        return _describe_graphs(trainer)
    projective_only = trainer.task.system.projective_only
    is_static = "static" in (settings.training, settings.oracle)
    leaves_out = projective_only and settings.projectivise == "none" and is_static
    n_sentences = len(data.order) + (data.n_nonprojective if leaves_out else 0)
    lines = [f"train: {n_sentences:,} sentences, {data.n_words:,} words"]
    if trainer.dev:
        lines.append(f"dev: {len(trainer.dev):,} sentences, {sum(map(len, trainer.dev)):,} words")
    else:
        lines.append("dev: none, so the parser of the last epoch is kept")
    found = f"{data.n_nonprojective:,} non-projective trees"
    if settings.projectivise != "none":
        lines.append(f"{found}: {data.n_lifted:,} arcs lifted ({settings.projectivise})")
    elif not projective_only:
        lines.append(f"{found}: derived as they are")
    elif leaves_out:
        lines.append(f"{found} cannot be derived: left out of static training")
    else:
        lines.append(f"{found} cannot be derived: learned from by the cheapest actions")
    if data.n_unannotated:
        lines.append(f"{data.n_unannotated:,} words without a head: any is right")
    return lines


def _describe_graphs(trainer: Trainer) -> list[str]:
    data = trainer.task.data
    lines = [f"train: {len(data.order):,} graphs, {data.n_words:,} words"]
    if trainer.dev:
        lines.append(f"dev: {len(trainer.dev):,} graphs, {sum(map(len, trainer.dev)):,} words")
    else:
        lines.append("dev: none, so the parser of the last epoch is kept")
    lines.append(f"{data.n_nonprojective:,} graphs with crossing arcs: {data.n_lifted:,} lifted")
    return lines


def describe_epoch(epoch: Epoch, trainer: Trainer) -> str:
    """One epoch in a line; the best so far is marked."""
    if epoch.part not in ("parser", "graph parser"):
        return describe_part(epoch)
    parts = [
        f"epoch {epoch.number:>{len(str(trainer.settings.epochs))}}/{trainer.settings.epochs}",
        f"{epoch.n_updates:,} updates",
        f"{epoch.words_per_second:,.0f} words/s",
    ]
    if epoch.scores:
        parts.append("dev " + " ".join(f"{k.upper()} {v:.2f}" for k, v in epoch.scores.items()))
        if epoch.is_best:
            parts.append("best")
    return "  ".join(parts)


def describe_part(epoch: Epoch) -> str:
    """One epoch of what learns beside the parser."""
    scores = " ".join(f"{name} {score:.2f}" for name, score in epoch.scores.items())
    return f"{epoch.part}, epoch {epoch.number}" + (f"  dev {scores}" if scores else "")
