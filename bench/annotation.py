"""Measure how few decisions a simulated annotator needs, by strategy.

python bench/annotation.py TREEBANK… --data DIR [--scorer linear|neural] [--json FILE]

Words, tags and lemmas are given, and each arc costs one decision (`annotator.py`). In every round
the annotator works on some sentences, and then a linear parser learns from all that is annotated,
for guesses and for confidences (`annotating.py`). The strategies are full annotation, three ways to
save decisions, each alone, and all of them together. With `--scorer neural`, a network learns from
what is annotated with a third of the decisions. `annotation_report.py` makes tables and plots.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from annotating import CHOICES, ERRORS, FULL, STRATEGIES, Limits, Strategy, Workplace
from annotator import Effort

import dodona

NETWORK: dict[str, Any] = {"width": 64, "layers": 1, "hidden": 64, "rows": 4096, "epochs": 24}
LINEAR, NEURAL = "linear", "neural"


@dataclass(frozen=True)
class Point:
    """What was annotated after a round, and the LAS on the dev set of a parser that learned it."""

    n_sentences: int
    effort: Effort
    las: float


def run(place: Workplace, dev: Sequence[dodona.Sentence], limits: Limits) -> Iterator[Point]:
    """Annotate a pool; yield the state after each round with its LAS on the dev set."""
    for _ in place.rounds(limits):
        assert place.parser is not None
        effort = Effort(**asdict(place.annotator.effort))
        yield Point(len(place.visited), effort, las_of(place.parser, dev))


def las_of(parser: dodona.Parser, dev: Sequence[dodona.Sentence]) -> float:
    """Return the LAS of a parser."""
    return dodona.evaluate(dev, parser.pipe(dev)).las


def network_las(place: Workplace, dev: Sequence[dodona.Sentence]) -> float:
    """Return the LAS of a network that learns from what was annotated with linear parsers."""
    trees = place.annotated()
    return las_of(dodona.train(trees, scorer=NEURAL, seed=place.seed, **NETWORK), dev)


def read(folder: Path, part: str) -> list[dodona.Sentence]:
    """Return the sentences of a treebank's part, compressed or not."""
    path = folder / f"{part}.conllu"
    return [*dodona.read(path if path.exists() else path.with_suffix(".conllu.gz"))]


def measure(
    folder: Path, strategy: Strategy, scorer: str, n_sentences: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield the points of one strategy; a network is trained at its last point alone."""
    pool, dev = read(folder, "train"), read(folder, "dev")
    if all({*sentence.lemmas} == {"_"} for sentence in pool):  # a dev set with lemmas is no help
        pool, dev = ([s.replace(lemmas=s.forms) for s in part] for part in (pool, dev))
    random.Random(seed).shuffle(pool)
    pool = pool[: 2 * n_sentences]
    full = sum(map(len, pool[:n_sentences]))
    about = {"treebank": folder.name, "strategy": strategy.name, "scorer": scorer, "seed": seed}
    limits = Limits(n_sentences, _most(strategy, scorer) * full)
    place = Workplace(pool, strategy, seed)
    for point in run(place, dev, limits):
        found = about | {"full": full} | asdict(point)
        if scorer == LINEAR:
            yield found
    if scorer == NEURAL:
        yield found | {"las": network_las(place, dev)}


def _most(strategy: Strategy, scorer: str) -> float:
    """Return when to stop, as a share of the decisions of full annotation."""
    if scorer == NEURAL and strategy != FULL:
        return 1 / 3  # where a network must be as good as that of full annotation
    return 1 / 2 if strategy.asked < 1 else math.inf


def main() -> None:
    """Run every strategy on every treebank, and print the last point of each run."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("treebanks", nargs="+")
    arguments.add_argument("--data", type=Path, default=os.environ.get("DODONA_DATA", "."))
    arguments.add_argument("--scorer", choices=(LINEAR, NEURAL), default=LINEAR)
    arguments.add_argument("--strategies", help="names, separated by commas", default="")
    arguments.add_argument("--choice", help="of sentences", choices=CHOICES, default=ERRORS)
    arguments.add_argument("--sentences", help="of full annotation", type=int, default=1000)
    arguments.add_argument("--seeds", help="of the order of the pool and of training", default="1")
    arguments.add_argument("--json", help="file to which a line is added for each point", type=Path)
    chosen = arguments.parse_args()
    known = {strategy.name: strategy for strategy in STRATEGIES}
    wanted = chosen.strategies.split(",") if chosen.strategies else [*known]
    if unknown := {*wanted} - {*known}:
        arguments.error(f"no strategy is called {', '.join(sorted(unknown))}")
    for name in chosen.treebanks:
        for strategy in map(known.__getitem__, wanted):
            if strategy.choice:
                strategy = replace(strategy, choice=chosen.choice)
            for seed in map(int, chosen.seeds.split(",")):
                folder, found = Path(chosen.data, name), {}
                for found in measure(folder, strategy, chosen.scorer, chosen.sentences, seed):
                    if chosen.json is not None:
                        with chosen.json.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(found) + "\n")
                print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
