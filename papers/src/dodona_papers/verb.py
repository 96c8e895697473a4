"""`dodona experiment`: repeat a paper's comparison on treebanks of your own."""

import os
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any

from dodona.cli.errors import Stop, UsageError, exit_code, say
from dodona.cli.flags import Flag, Parameter, add_parameters
from dodona.cli.input_files import read_text_file
from dodona_papers.paper import Option, Paper
from dodona_papers.registry import PAPERS

CONTINUES = "repeat the command to continue"


def experiment(
    paper: Annotated[str, Flag(f"one of {', '.join(PAPERS)}", positional=True)],
    data: Annotated[
        str | None,
        Flag("folder of <treebank>/{train,dev,test}.conllu", default="$DODONA_DATA", metavar="DIR"),
    ] = None,
    treebanks: Annotated[
        str | None, Flag("names, separated by commas", default="all", metavar="NAMES")
    ] = None,
    seeds: Annotated[int, Flag("number of runs of each variant, with seeds 1, 2, …")] = 1,
    out: Annotated[str | None, Flag("report to write", short="-o", default="tables only")] = None,
    note: Annotated[
        str | None,
        Flag("file of text for the top of the report", metavar="FILE"),
    ] = None,
    jobs: Annotated[int, Flag("number of parallel processes")] = 1,
    quick: Annotated[
        bool, Flag("a short trial run: one treebank and two epochs, unless given")
    ] = False,
    **options: Any,
) -> None:
    """Repeat a paper's comparison on treebanks.

    Reads DIR/<treebank>/{train,dev,test}.conllu and shows the results beside those of the paper.
    Options that belong to some papers only name these in parentheses. The papers:
    """
    if paper not in PAPERS:
        raise UsageError(f"unknown paper {paper!r}; the papers are: {', '.join(PAPERS)}")
    chosen = _choose(PAPERS[paper], options)
    data = data or os.environ.get("DODONA_DATA")
    if not data:
        raise UsageError("--data is missing: give the folder of treebanks, here or in DODONA_DATA")
    for name, value in (("seeds", seeds), ("jobs", jobs)):
        if value < 1:
            raise UsageError(f"--{name} must be at least 1, not {value}")
    if note and not out:
        raise UsageError("--note requires a report: give --out")
    try:
        PAPERS[paper].run(
            Path(data),
            None if treebanks is None else _split("treebanks", treebanks),
            seeds,
            Path(out) if out else None,
            quick,
            jobs=jobs,
            note=read_text_file(note) if note else "",
            **chosen,
        )
    except KeyboardInterrupt as interrupt:
        say("interrupted; " + (CONTINUES if out else "without --out no results are kept"))
        raise Stop(exit_code(interrupt)) from None


def _choose(paper: Paper, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given; raise an error if the paper does not have one of them."""
    chosen = {name: value for name, value in options.items() if value is not None}
    known = paper.options
    for name, value in chosen.items():
        if name not in known:
            flags = ", ".join(map(_flag, known))
            raise UsageError(f"{paper.name} has no option {_flag(name)}; it has {flags}")
        if isinstance(known[name].default, tuple):
            chosen[name] = _split(name, value)
    return chosen


def _split(name: str, text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"{_flag(name)} must be names separated by commas, not {text!r}")
    return list(dict.fromkeys(names))


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameters() -> list[Parameter]:
    """Return a flag for every option of any paper; its value is None if not given."""
    by_name: dict[str, dict[str, Option]] = {}
    for paper in PAPERS.values():
        for name, option in paper.options.items():
            by_name.setdefault(name, {})[paper.name] = option
    return [_parameter(name, by_paper) for name, by_paper in by_name.items()]


def _parameter(name: str, by_paper: dict[str, Option]) -> Parameter:
    option = next(iter(by_paper.values()))
    defaults = {other.default for other in by_paper.values()}
    is_several = isinstance(option.default, tuple)
    names = f": {', '.join(option.default)}" if is_several else ""
    owners = "every paper" if len(by_paper) == len(PAPERS) else ", ".join(by_paper)
    flag = Flag(
        f"{option.help}{names} ({owners})",
        choices=option.choices,
        default="the paper's"
        if len(defaults) > 1
        else "all"
        if is_several
        else f"{option.default}",
        metavar="NAMES" if is_several else "",
    )
    kind = str if is_several else type(option.default)
    return Parameter(name, kind, False, None, flag)


add_parameters(experiment, _parameters())
experiment.__doc__ = "\n\n".join(
    [
        getdoc(experiment) or "",
        *(f"{name}: {paper.title}" for name, paper in PAPERS.items()),
    ]
)
