"""What `train` and `distil` show of training: a line per epoch and, on a terminal, a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dodona.cli.progress import ProgressBar

if TYPE_CHECKING:
    from dodona.parsing.trainer import Trainer
    from dodona.training.loop import Epoch, Progress


class TrainingView(ProgressBar):
    """A bar for all epochs, below a description of the data and a line per completed epoch."""

    def __init__(self, trainer: Trainer, quiet: bool) -> None:
        super().__init__("epoch", quiet=quiet)
        self.trainer = trainer
        for line in describe_data(trainer):
            self.print(line)

    def advance(self, progress: Progress) -> None:
        """Show the progress within an epoch."""
        if self.is_shown:
            n_before = (progress.epoch_number - 1) * progress.n_sentences
            self.update(
                n_before + progress.n_done,
                progress.n_epochs * progress.n_sentences,
                note=f"{progress.n_updates:,} updates  {progress.words_per_second:,.0f} words/s",
                task=f"epoch {progress.epoch_number}",
            )

    def finish(self, epoch: Epoch) -> None:
        """Print the line of a completed epoch."""
        self.print(describe_epoch(epoch, self.trainer), "bold" if epoch.is_best else "")


def describe_data(trainer: Trainer) -> list[str]:
    """Describe the training data, and how trees that the system cannot derive are treated."""
    data, settings = trainer.task.data, trainer.settings
    builds_graphs, projective_only = (
        trainer.task.system.builds_graphs,
        trainer.task.system.projective_only,
    )
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


def describe_epoch(epoch: Epoch, trainer: Trainer) -> str:
    """Describe an epoch in one line; the best one so far is marked."""
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
    """Describe an epoch of another part of the model than the parser."""
    scores = " ".join(f"{name} {score:.2f}" for name, score in epoch.scores.items())
    return f"{epoch.part}, epoch {epoch.number}" + (f"  dev {scores}" if scores else "")
