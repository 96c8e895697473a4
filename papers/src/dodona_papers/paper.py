"""A paper: its name, its settings, its options, and its comparison."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dodona.records import flat_fields
from dodona.settings import Settings
from dodona_papers.reporting.study import Study
from dodona_papers.running.data import find_treebanks

QUICK = {"epochs": 2, "explore_after": 1}  # settings of a quick run


@dataclass(frozen=True)
class Option:
    """An option of a paper: a number, a name or, if the default is a tuple, a subset of it."""

    help: str
    default: Any
    choices: tuple[str, ...] = ()  # valid names
    quick: Any = None  # the default of a quick run, if different

    def check(self, name: str, value: Any) -> None:
        """Raise an error if a subset is empty, or has names that are not in the tuple.

        >>> Option("which trees", ("oak", "elm")).check("trees", ["oak", "ash"])
        Traceback (most recent call last):
        ValueError: trees: unknown 'ash'; choose from oak, elm
        """
        if not isinstance(self.default, tuple):
            return
        known = ", ".join(self.default)
        if not value:
            raise ValueError(f"{name}: choose at least one of {known}")
        for one in value:
            if one not in self.default:
                raise ValueError(f"{name}: unknown {one!r}; choose from {known}")


@dataclass(frozen=True)
class Paper:
    """A paper, whose `compare` is called with a `Study` and a value for each `own` option.

    `free` names the settings of training that can be changed.
    """

    name: str
    settings: Settings
    compare: Callable[..., None]
    free: tuple[str, ...] = ("epochs",)
    own: Mapping[str, Option] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The first line of the docstring of the paper's module."""
        return (sys.modules[self.compare.__module__].__doc__ or "").partition("\n")[0]

    @property
    def options(self) -> dict[str, Option]:
        """All options by name, settings first."""
        known = {setting.name: setting.metadata for setting in flat_fields(Settings)}
        chosen = self.settings.flat()
        return {
            name: Option(known[name]["help"], chosen[name], known[name]["choices"] or ())
            for name in self.free
        } | dict(self.own)

    def run(
        self,
        data: Path,
        treebanks: Sequence[str] | None = None,
        seeds: int = 1,
        out: Path | None = None,
        quick: bool = False,
        *,
        jobs: int = 1,
        note: str = "",
        **options: Any,
    ) -> None:
        """Run the comparison, print its tables and, given `out`, write the report.

        `out` is the HTML page, or a folder for it; Markdown, JSON, plots and the results of single
        runs are written beside it, and a second call continues an interrupted one. `note` is text
        for the top of the report. A `quick` run uses, unless told otherwise, the first treebank and
        two epochs.
        """
        if seeds < 1:
            raise ValueError(f"seeds must be at least 1, not {seeds}")
        command = self._command(quick, treebanks=treebanks, seeds=seeds, **options)
        chosen = {name: options.pop(name) for name in self.free if name in options}
        settings = self.settings.replace(**(QUICK if quick else {}) | chosen)
        for name, value in options.items():
            if name in self.own:
                self.own[name].check(name, value)
        found = find_treebanks(data, treebanks)
        if quick and treebanks is None:
            found = found[:1]
        study = Study(self.name, found, seeds, settings, jobs, self._page(out), command, note)
        self.compare(study, **(self._defaults(quick) | options))

    def _command(self, quick: bool, **given: Any) -> str:
        """Return the command that repeats the run, with placeholders for data and report."""
        parts = [f"dodona experiment {self.name} --data DIR", *(["--quick"] if quick else [])]
        for name, value in given.items():
            if value is not None:
                one = value if isinstance(value, str | int | float) else ",".join(value)
                parts.append(f"--{name.replace('_', '-')} {one}")
        return " ".join([*parts, "-o report.html"])

    def _defaults(self, quick: bool) -> dict[str, Any]:
        return {
            name: option.default if option.quick is None or not quick else option.quick
            for name, option in self.own.items()
        }

    def _page(self, out: Path | None) -> Path | None:
        """Return the path of the HTML page, and create its folder."""
        if out is None:
            return None
        page = out if out.suffix == ".html" else out / f"{self.name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        return page
