"""What `train`, `distil` and `tag --train` share: the model file, its checkpoint, the display."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dodona.cli.errors import Stop, exit_code, say
from dodona.cli.progress import ProgressBar

if TYPE_CHECKING:
    from dodona.parsing.parser import Parser
    from dodona.parsing.trainer import Trainer
    from dodona.tagging.tagger import Tagger
    from dodona.training.loop import Epoch, Progress, Run


@dataclass(frozen=True)
class TrainingOutput:
    """A model file to write and its checkpoint, with the flags --resume and --checkpoint.

    >>> TrainingOutput(Path("my.dodona"), resume=False, checkpoint=True).path.name
    'my.dodona.checkpoint'
    """

    model: Path
    resume: bool
    checkpoint: bool

    @property
    def path(self) -> Path:
        return self.model.with_name(self.model.name + ".checkpoint")

    @property
    def target(self) -> Path | None:
        """The path to write checkpoints to, or None."""
        return self.path if self.checkpoint else None

    def check(self) -> None:
        """Raise an error before training starts if the model cannot be written."""
        model, folder = self.model, self.model.parent
        if not folder.is_dir():
            raise ValueError(f"{model}: the folder {folder} does not exist")
        if model.is_dir():
            raise ValueError(f"{model} is a folder; expected a file to write the model to")
        if not os.access(folder, os.W_OK):
            raise ValueError(f"{model}: no permission to write to the folder {folder}")
        if self.resume and not self.path.exists():
            raise ValueError(f"{self.path}: no such checkpoint; start training without --resume")

    def resume_run(self, run: Run) -> None:
        """Resume a run from the checkpoint, if --resume is given."""
        if self.resume:
            run.resume(self.path)
        elif self.path.exists() and self.checkpoint:
            say(f"replacing the checkpoint {self.path}; --resume would continue that run")

    def rescue(
        self,
        interrupt: KeyboardInterrupt,
        what: str,
        best: Epoch | None,
        give: Callable[[], Parser | Tagger],
    ) -> Stop:
        """Save the best model so far after Ctrl-C or a signal, and say how to continue."""
        if best is None:
            say(f"interrupted before the end of the first epoch: no {what} is saved")
        else:
            give().save(self.model)
            say(f"interrupted: saved the {what} of epoch {best.number} as {self.model}")
        if self.checkpoint and self.path.exists():
            say(f"to continue from {self.path}, repeat the command with --resume")
        return Stop(exit_code(interrupt))

    def finish(self, model: Parser | Tagger) -> None:
        model.save(self.model)
        if self.checkpoint or self.resume:
            self.path.unlink(missing_ok=True)


class TrainingView(ProgressBar):
    """A bar for all epochs, below a description of the data and a line per completed epoch."""

    def __init__(self, trainer: Trainer, quiet: bool) -> None:
        super().__init__("epoch", quiet=quiet)
        self.trainer = trainer
        for line in describe_data(trainer):
            self.print(line)

    def advance(self, progress: Progress) -> None:
        if self.is_shown:
            n_before = (progress.epoch_number - 1) * progress.n_sentences
            self.update(
                n_before + progress.n_done,
                progress.n_epochs * progress.n_sentences,
                note=f"{progress.n_updates:,} updates  {progress.words_per_second:,.0f} words/s",
                task=f"epoch {progress.epoch_number}",
            )

    def finish(self, epoch: Epoch) -> None:
        line = describe_part(epoch)
        if epoch.part in ("parser", "graph parser"):
            speed = f"{epoch.words_per_second:,.0f} words/s"
            line = describe_epoch(epoch, self.trainer.settings.epochs, speed)
        self.print(line, "bold" if epoch.is_best else "")


def describe_data(trainer: Trainer) -> list[str]:
    """Describe the training data, and how trees that the system cannot derive are treated."""
    data, settings = trainer.task.data, trainer.settings
    system = trainer.task.system
    builds_graphs, projective_only = system.builds_graphs, system.projective_only
    is_static = "static" in (settings.training, settings.search.oracle)
    is_skipped = projective_only and settings.projectivise == "none" and is_static
    unit = "graphs" if builds_graphs else "sentences"
    n_sentences = len(data.order)
    if is_skipped and not builds_graphs:
        n_sentences += data.n_nonprojective
    lines = [f"train: {n_sentences:,} {unit}, {data.n_words:,} words"]
    if trainer.dev:
        lines.append(f"dev: {len(trainer.dev):,} {unit}, {sum(map(len, trainer.dev)):,} words")
    else:
        lines.append("dev: none, so the parser of the last epoch is kept")
    if builds_graphs:
        found = f"{data.n_nonprojective:,} graphs with crossing arcs"
        return [*lines, f"{found}: {data.n_lifted:,} arcs lifted"]
    found = f"{data.n_nonprojective:,} non-projective trees"
    if settings.projectivise != "none":
        lines.append(f"{found}: {data.n_lifted:,} arcs lifted ({settings.projectivise})")
    elif not projective_only:
        lines.append(f"{found}: derived as they are")
    elif is_skipped:
        lines.append(f"{found} cannot be derived: left out of static training")
    else:
        lines.append(f"{found} cannot be derived: trained on with the actions of lowest cost")
    if data.n_unannotated:
        lines.append(f"{data.n_unannotated:,} words without a head: any head counts as correct")
    return lines


def describe_epoch(epoch: Epoch, n_epochs: int, time: str) -> str:
    """Describe an epoch and the time it took in one line; the best one so far is marked."""
    number = f"epoch {epoch.number:>{len(str(n_epochs))}}/{n_epochs}"
    parts = [number, f"{epoch.n_updates:,} updates", time]
    if epoch.scores:
        parts.append("dev " + " ".join(f"{k.upper()} {v:.2f}" for k, v in epoch.scores.items()))
        if epoch.is_best:
            parts.append("best")
    return "  ".join(parts)


def describe_part(epoch: Epoch) -> str:
    """Describe an epoch of another part of the model than the parser."""
    scores = " ".join(f"{name} {score:.2f}" for name, score in epoch.scores.items())
    return f"{epoch.part}, epoch {epoch.number}" + (f"  dev {scores}" if scores else "")
