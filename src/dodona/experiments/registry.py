"""The papers whose experiments can be run, by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from dodona.experiments.papers import (
    goldberg_nivre_2012,
    honnibal_johnson_2015,
    tokgoz_eryigit_2015,
)
from dodona.experiments.papers.aufrant_2017 import experiment as aufrant_2017
from dodona.experiments.papers.nivre_2009 import experiment as nivre_2009


class Experiment(Protocol):
    """Runs a paper's comparison, prints its tables and writes a report to `out`."""

    def __call__(
        self,
        data: Path,
        treebanks: Sequence[str] | None = ...,
        seeds: int = ...,
        out: Path | None = ...,
        quick: bool = ...,
        *,
        jobs: int = ...,
    ) -> None: ...


EXPERIMENTS: dict[str, Experiment] = {
    paper.NAME: paper.run
    for paper in (
        goldberg_nivre_2012,
        nivre_2009,
        honnibal_johnson_2015,
        aufrant_2017,
        tokgoz_eryigit_2015,
    )
}
