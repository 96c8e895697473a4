"""What a paper tells of itself: its name, its settings, what one may choose, and its comparison."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from dodona.settings import Settings
from dodona_papers.reporting.study import Study
from dodona_papers.running.data import find_treebanks

QUICK = {"epochs": 2, "explore_after": 1}  # settings of a quick run


@dataclass(frozen=True)
class Option:
    """Something to choose: a number, a name or, where the default is a tuple, some of its names."""

    help: str
    default: Any
    choices: tuple[str, ...] = ()  # of one name
    quick: Any = None  # the default of a quick run, where that is another

    def check(self, name: str, value: Any) -> None:
        """Refuse a choice of names that is empty, or has others than those of the tuple.

        >>> Option("which trees", ("oak", "elm")).check("trees", ["oak", "ash"])
        Traceback (most recent call last):
        ValueError: trees: there is no 'ash'; there are oak, elm
        """
        if not isinstance(self.default, tuple):
            return
        there = ", ".join(self.default)
        if not value:
            raise ValueError(f"{name}: choose at least one of {there}")
        for one in value:
            if one not in self.default:
                raise ValueError(f"{name}: there is no {one!r}; there are {there}")


@dataclass(frozen=True)
class Paper:
    """A paper's comparison: `compare` is called with a `Study` and a value for each `own` option.

    `free` names the settings of training that may be others than the paper's.
    """

    name: str
    settings: Settings
    compare: Callable[..., None]
    free: tuple[str, ...] = ("epochs",)
    own: Mapping[str, Option] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What it is, as its module says in the first line."""
        return (sys.modules[self.compare.__module__].__doc__ or "").partition("\n")[0]

    @property
    def options(self) -> dict[str, Option]:
        """All that one may choose, by name: settings first."""
        known = {setting.name: setting.metadata for setting in fields(Settings)}
        return {
            name: Option(
                known[name]["help"], getattr(self.settings, name), known[name]["choices"] or ()
            )
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

        `out` is the HTML page, or the folder where to put it; Markdown, JSON, plots and the results
        of single runs stand beside it, and a second call goes on where the first was interrupted.
        `note` stands first in it, in paragraphs: what its author makes of the tables.
        `quick` is for trying out: the first treebank and two epochs, where nothing else is chosen.
        """
        if seeds < 1:
            raise ValueError(f"at least one seed is needed, not {seeds}")
        command = self._command(quick, treebanks=treebanks, seeds=seeds, **options)
        chosen = {name: options.pop(name) for name in self.free if name in options}
        settings = replace(self.settings, **((QUICK if quick else {}) | chosen))
        for name, value in options.items():
            if name in self.own:
                self.own[name].check(name, value)
        found = find_treebanks(data, treebanks)
        if quick and treebanks is None:
            found = found[:1]
        study = Study(self.name, found, seeds, settings, jobs, self._page(out), command, note)
        self.compare(study, **(self._defaults(quick) | options))

    def _command(self, quick: bool, **given: Any) -> str:
        """What to type for the same tables, apart from where data and report are."""
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
        """The HTML page that `out` stands for; its folder is made."""
        if out is None:
            return None
        page = out if out.suffix == ".html" else out / f"{self.name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        return page
