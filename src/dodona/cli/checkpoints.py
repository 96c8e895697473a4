"""The checkpoint beside a model in training: what `train` and `tag --train` do with it."""

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
class Kept:
    """A model to be trained, and whether --resume and --checkpoint were given.

    >>> Kept(Path("my.dodona"), resume=False, checkpoint=True).path.name
    'my.dodona.checkpoint'
    """

    model: Path
    resume: bool
    checkpoint: bool

    @property
    def path(self) -> Path:
        """Where the checkpoint is."""
        return self.model.with_name(self.model.name + ".checkpoint")

    @property
    def target(self) -> Path | None:
        """Where checkpoints are to be written, if they are."""
        return self.path if self.checkpoint else None

    def check_places(self) -> None:
        """Find out now, not after an hour, that the model cannot be written."""
        model, folder = self.model, self.model.parent
        if not folder.is_dir():
            raise ValueError(f"{model}: the folder {folder} does not exist")
        if model.is_dir():
            raise ValueError(f"{model}: this is a folder; expected a file to write the model to")
        if not os.access(folder, os.W_OK):
            raise ValueError(f"{model}: no permission to write to the folder {folder}")
        if self.resume and not self.path.exists():
            raise ValueError(
                f"{self.path}: no such checkpoint; without --resume training starts anew"
            )

    def take_up(self, run: "Run") -> None:
        """Go on from the checkpoint where asked to."""
        if self.resume:
            run.resume(self.path)
        elif self.path.exists() and self.checkpoint:
            say(f"{self.path} of an earlier run will be replaced; --resume would go on from it")

    def rescue(
        self,
        interrupt: KeyboardInterrupt,
        what: str,
        best: "Epoch | None",
        give: "Callable[[], Parser | Tagger]",
    ) -> Stop:
        """After Ctrl-C or a signal, save the best so far and say how to go on."""
        if best is None:
            say(f"interrupted before the first epoch was complete: there is no {what} to save yet")
        else:
            give().save(self.model)
            say(f"interrupted: {self.model} is the {what} of epoch {best.number}")
        if self.checkpoint and self.path.exists():
            say(f"the same command with --resume goes on from {self.path}")
        return Stop(exit_code(interrupt))

    def finish(self, model: "Parser | Tagger") -> None:
        """Save the model; its checkpoint has served its purpose."""
        model.save(self.model)
        if self.checkpoint or self.resume:
            self.path.unlink(missing_ok=True)
