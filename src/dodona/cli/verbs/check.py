"""`dodona check`: whether the output of a run over a corpus is complete."""

import sys
from typing import Annotated

from dodona.cli.errors import FAILED, Stop
from dodona.cli.flags import Flag
from dodona.extras import require


def check(
    folder: Annotated[
        str, Flag("output folder of `dodona parse`, or its URL", positional=True, metavar="FOLDER")
    ],
    quick: Annotated[
        bool, Flag("compare sizes and footers only, and compute no checksums")
    ] = False,
) -> None:
    """Check the output of a run over a corpus, finished or interrupted.

    Every file is compared with the manifest: its size, its checksum, its rows, and the documents
    in it. Missing files and shards, inputs that were parsed twice, files of other runs, and files
    with other columns are faults. The exit code is 1 if there is any.

    dodona check out/
    """
    require("pyarrow", "arrow")
    from dodona.arrow.runs.checking import check_run

    found = check_run(folder, quick=quick)
    for fault in found.faults:
        print(fault)
    counts = found.counts
    print(
        f"{folder}: {found.n_files:,} files, {counts.documents:,} documents = {counts.parsed:,} "
        f"parsed + {counts.errors:,} errors, {counts.words:,} words, {len(found.faults):,} faults"
    )
    sys.stdout.flush()
    if found.faults:
        raise Stop(FAILED)
