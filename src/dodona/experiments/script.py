"""The command line that every file in `experiments/` has."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path


def main(
    run: Callable[..., None], about: str | None, more: Mapping[str, str] | None = None
) -> None:
    """Run an experiment as the shell asks; `more` names options of its own, with their help.

    An option of its own whose help ends in "A,B" takes names separated by commas, one whose help
    ends in "N" a number.
    """
    first_line = (about or "").partition("\n")[0]
    options = argparse.ArgumentParser(description=first_line)
    data = os.environ.get("DODONA_DATA")
    options.add_argument("--data", type=Path, default=data, required=data is None, metavar="DIR")
    options.add_argument("--treebanks", type=_names, metavar="A,B", help="folders in DIR, or all")
    options.add_argument("--seeds", type=int, default=3, metavar="N")
    options.add_argument(
        "--out", type=Path, metavar="REPORT", help="HTML page, or its folder; else tables only"
    )
    options.add_argument("--quick", action="store_true", help="one treebank, one seed, two epochs")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="trainings at a time")
    for name, text in (more or {}).items():
        kind = _names if text.endswith("A,B") else int if text.endswith("N") else str
        options.add_argument(f"--{name}", type=kind, default=argparse.SUPPRESS, help=text)
    try:
        run(**vars(options.parse_args()))
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print("interrupted; with --out, the same command goes on from here", file=sys.stderr)
        sys.exit(130)


def _names(text: str) -> list[str]:
    return text.split(",")
