"""Measure the triples of 200 annotated sentences, with gold trees and with models, and the speed.

python bench/facts.py [--models en,en-small] [--treebank DIR/en_ewt/dev.conllu]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from versions import least_seconds

import dodona

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.facts import score


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--models", default="en,en-small")
    arguments.add_argument("--treebank", help="to measure the speed on")
    chosen = arguments.parse_args()
    for name in ("gold trees", *chosen.models.split(",")):
        found = score(None if name == "gold trees" else dodona.load(name))
        print(f"{name:12} F1 {found.f1:6.2f}  {found}")
    if chosen.treebank:
        sentences = list(dodona.read(chosen.treebank))
        n_words = sum(map(len, sentences))
        seconds = least_seconds(lambda: [sentence.triples() for sentence in sentences])
        print(f"triples of trees: {n_words / seconds:,.0f} words/s")


if __name__ == "__main__":
    main()
