"""Parse random sentences around random given heads, labels and spans, and check that all are kept.

python bench/given.py [--cases N] [--seed N]

Four of five cases give parts of a random tree, so that they can be kept; in the others nothing fits
together on purpose, and what is impossible must be refused. Cases are spread over all tree systems,
with linear models and networks, greedy search and a beam of 4. The program stops at the first case
that is neither kept nor rightly refused.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from support.given_lab import PARSERS, run

BEAMS = (1, 4)


def main(
    cases: Annotated[int, typer.Option(help="number of cases")] = 100_000,
    seed: Annotated[int, typer.Option(help="of the random cases")] = 1,
) -> None:
    """Run the cases and print how many there were."""
    each = -(-cases // (len(PARSERS) * len(BEAMS)))
    n_refused = n_done = 0
    for name, root, scorer in PARSERS:
        for beam in BEAMS:
            start = time.perf_counter()
            n_refused += run(name, root, scorer, beam, each, seed)
            n_done += each
            rate = each / (time.perf_counter() - start)
            print(f"{name}, root {root}, {scorer}, beam {beam}: {each:,} cases, {rate:.0f}/s")
    print(f"{n_done:,} cases: {n_done - n_refused:,} kept, {n_refused:,} impossible and refused")


if __name__ == "__main__":
    typer.run(main)
