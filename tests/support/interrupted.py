"""Ctrl-C in the middle of training."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dodona.training.loop import Learner


@contextmanager
def interrupt(kind: type[Learner[Any]], number: int, part: str = "") -> Iterator[None]:
    """Press it in the epoch of that number of such a learner, where it learns that part."""
    run = kind.learn_epoch

    def learn(self: Learner[Any], epoch: int) -> Iterator[int]:
        for n_done in run(self, epoch):
            if epoch == number and part in ("", self.part):
                raise KeyboardInterrupt
            yield n_done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "learn_epoch", learn)
        yield
