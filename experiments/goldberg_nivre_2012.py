"""Run the comparison of Goldberg & Nivre (2012): static, ambiguity, explore.

    python experiments/goldberg_nivre_2012.py --data DIR --seeds 2 --out report.html

reads DIR/<treebank>/{train,dev,test}.conllu, prints the tables and writes a report, with Markdown,
JSON, the plot and the results of single runs beside it. Interrupted, it goes on when called again.
"""

import argparse
import os
import sys
from pathlib import Path

from dodona.experiments.goldberg_nivre_2012 import run


def main() -> None:
    first_line = (__doc__ or "").partition("\n")[0]
    options = argparse.ArgumentParser(description=first_line)
    data = os.environ.get("DODONA_DATA")
    options.add_argument("--data", type=Path, default=data, required=data is None, metavar="DIR")
    options.add_argument("--treebanks", metavar="A,B", help="folders in DIR; by default all")
    options.add_argument("--seeds", type=int, default=3, metavar="N")
    options.add_argument(
        "--out", type=Path, metavar="REPORT", help="HTML page, or its folder; else tables only"
    )
    options.add_argument("--quick", action="store_true", help="one treebank, one seed, two epochs")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="trainings at a time")
    options.add_argument("--root", metavar="WHERE", help="the artificial root: first, last, none")
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
