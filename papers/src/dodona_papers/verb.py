"""`dodona experiment`: a paper's comparison on treebanks of your own."""

import os
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any

from dodona.cli.errors import Stop, UsageError, exit_code, say
from dodona.cli.flags import Flag, Parameter, add_parameters
from dodona.cli.input_files import read_text_file
from dodona_papers.paper import Option, Paper
from dodona_papers.registry import PAPERS

GOES_ON = "the same command goes on from where it was"


def experiment(
    paper: Annotated[str, Flag(f"one of {', '.join(PAPERS)}", positional=True)],
    data: Annotated[
        str | None,
        Flag("folder of <treebank>/{train,dev,test}.conllu", default="$DODONA_DATA", metavar="DIR"),
    ] = None,
    treebanks: Annotated[
        str | None, Flag("names, separated by commas", default="all", metavar="NAMES")
    ] = None,
    seeds: Annotated[int, Flag("runs of each setting, with the seeds 1, 2, …")] = 1,
    out: Annotated[str | None, Flag("report to write", short="-o", default="table only")] = None,
    note: Annotated[
        str | None,
        Flag("paragraphs of your own that stand first in the report", metavar="FILE"),
    ] = None,
    jobs: Annotated[int, Flag("processes to train in at the same time")] = 1,
    quick: Annotated[
        bool, Flag("to see that everything works: unless you say so, one treebank and two epochs")
    ] = False,
    **options: Any,
) -> None:
    """Repeat a paper's comparison on treebanks.

    Reads DIR/<treebank>/{train,dev,test}.conllu and shows its table beside the paper's own. Some
    options belong to some papers only, which stand in parentheses. The papers:
    """
    if paper not in PAPERS:
        raise UsageError(f"no experiment {paper!r}; there are: {', '.join(PAPERS)}")
    chosen = _choose(PAPERS[paper], options)
    data = data or os.environ.get("DODONA_DATA")
    if not data:
        raise UsageError("--data is missing: name the folder of treebanks, here or in DODONA_DATA")
    for name, value in (("seeds", seeds), ("jobs", jobs)):
        if value < 1:
            raise UsageError(f"--{name} is at least 1; found {value}")
    if note and not out:
        raise UsageError("--note is for a report: name one with --out")
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
        say("interrupted; " + (GOES_ON if out else "without --out nothing is kept"))
        raise Stop(exit_code(interrupt)) from None


def _choose(paper: Paper, options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; those that the paper does not have are refused."""
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
        raise UsageError(f"{_flag(name)}: names, separated by commas, are expected; found {text!r}")
    return list(dict.fromkeys(names))


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameters() -> list[Parameter]:
    """A flag for every option that some paper has; None where it is not given."""
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
