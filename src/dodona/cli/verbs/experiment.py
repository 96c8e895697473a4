"""`dodona experiment`: a paper's comparison on treebanks of your own."""

import os
from importlib import import_module
from pathlib import Path
from typing import Annotated

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag


def experiment(
    paper: Annotated[str, Flag("name of the paper, such as goldberg-nivre-2012", positional=True)],
    data: Annotated[
        str | None,
        Flag("folder of <treebank>/{train,dev,test}.conllu", default="$DODONA_DATA", metavar="DIR"),
    ] = None,
    treebanks: Annotated[
        str | None, Flag("names, separated by commas", default="all", metavar="NAMES")
    ] = None,
    seeds: Annotated[int, Flag("runs of each setting, with the seeds 1, 2, …")] = 1,
    out: Annotated[str | None, Flag("report to write", short="-o", default="table only")] = None,
    jobs: Annotated[int, Flag("processes to train in at the same time")] = 1,
    quick: Annotated[bool, Flag("a tiny run, to see that everything works")] = False,
) -> None:
    """Repeat a paper's comparison on treebanks.

    Reads DIR/<treebank>/{train,dev,test}.conllu and shows its table beside the paper's own.
    """
    known = import_module("dodona.experiments.registry").EXPERIMENTS
    if paper not in known:
        raise UsageError(f"no experiment {paper!r}; there are: {', '.join(known)}")
    data = data or os.environ.get("DODONA_DATA")
    if not data:
        raise UsageError("--data is missing: name the folder of treebanks, here or in DODONA_DATA")
    for name, value in (("seeds", seeds), ("jobs", jobs)):
        if value < 1:
            raise UsageError(f"--{name} is at least 1; found {value}")
    names = [name.strip() for name in treebanks.split(",") if name.strip()] if treebanks else None
    known[paper](
        data=Path(data),
        treebanks=names,
        seeds=seeds,
        out=Path(out) if out else None,
        quick=quick,
        jobs=jobs,
    )
