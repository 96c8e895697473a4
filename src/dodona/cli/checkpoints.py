"""Checkpoints of `train` and `tag --train`."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dodona.cli.errors import Stop, exit_code, say

if TYPE_CHECKING:
    from dodona.parsing.parser import Parser
    from dodona.tagging.tagger import Tagger
    from dodona.training.loop import Epoch, Run


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
        """The path of the checkpoint."""
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

    def resume_run(self, run: "Run") -> None:
        """Resume a run from the checkpoint, if --resume is given."""
        if self.resume:
            run.resume(self.path)
        elif self.path.exists() and self.checkpoint:
            say(f"replacing the checkpoint {self.path}; --resume would continue that run")

    def rescue(
        self,
        interrupt: KeyboardInterrupt,
        what: str,
        best: "Epoch | None",
        give: "Callable[[], Parser | Tagger]",
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

    def finish(self, model: "Parser | Tagger") -> None:
        """Save the model and remove its checkpoint."""
        model.save(self.model)
        if self.checkpoint or self.resume:
            self.path.unlink(missing_ok=True)
