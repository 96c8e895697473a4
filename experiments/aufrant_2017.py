"""Run the comparison of Aufrant, Wisniewski & Yvon (2017): beams, early update and max-violation.

    python experiments/aufrant_2017.py --data DIR --seeds 2 --out report.html

reads DIR/<treebank>/{train,dev,test}.conllu, prints the tables and writes a report, with Markdown,
JSON, the plots and the results of single runs beside it. Interrupted, it goes on when called again.
"""

import argparse
import os
import sys
from pathlib import Path

from dodona.experiments.aufrant_2017 import PAPER_SETTINGS, RESTARTS, run


def main() -> None:
    first_line = (__doc__ or "").partition("\n")[0]
    options = argparse.ArgumentParser(description=first_line)
    data = os.environ.get("DODONA_DATA")
    options.add_argument("--data", type=Path, default=data, required=data is None, metavar="DIR")
    options.add_argument("--treebanks", metavar="A,B", help="folders in DIR; by default all")
    options.add_argument("--seeds", type=int, default=5, metavar="N")
    options.add_argument(
        "--out", type=Path, metavar="REPORT", help="HTML page, or its folder; else tables only"
    )
    options.add_argument("--quick", action="store_true", help="one treebank, one seed, two epochs")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="trainings at a time")
    for name, kind in {"epochs": int, "beam": int, "features": str, "loss": str}.items():
        default = getattr(PAPER_SETTINGS, name)
        options.add_argument(f"--{name}", type=kind, metavar="X", help=f"by default {default}")
    options.add_argument(
        "--restarts", nargs="+", default=RESTARTS, choices=RESTARTS, help="IMP; by default both"
    )
    given = vars(options.parse_args())
    if given["treebanks"]:
        given["treebanks"] = given["treebanks"].split(",")
    try:
        run(**given)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print("interrupted; with --out, the same command goes on from here", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
