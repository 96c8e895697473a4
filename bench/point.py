"""One point of the plot of accuracy against speed: LAS on a test set, and words/s of one core.

    python bench/point.py MODEL --data DIR --treebank en_ewt [--gold-tags] [--beam 4]

The time runs from words to trees, with all tags and lemmas that the model predicts; it is CPU time,
which other programs on the machine change little. The point goes into the entry
`accuracy-and-speed` of docs/figures.toml, and `python -m tools.pages --write` draws the plot.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import measure
import typer
from results import without_tags

import dodona


def main(
    model: Annotated[Path, typer.Argument(help="A model that was trained on the treebank.")],
    data: measure.Data,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "en_ewt",
    gold_tags: Annotated[bool, typer.Option(help="Keep the treebank's tags.")] = False,
    beam: Annotated[int | None, typer.Option(help="Width of the beam.")] = None,
    repeat: Annotated[int, typer.Option(help="Runs, of which the fastest counts.")] = 3,
) -> None:
    """Measure a model on a treebank's test set."""
    parser = dodona.load(model)
    gold = list(dodona.read(data / treebank / "test.conllu"))
    given = gold if gold_tags else [without_tags(sentence) for sentence in gold]
    times, found = [], []
    for _ in range(repeat):
        begin = time.process_time()
        found = list(parser.pipe(given, beam=beam, keep_tags=gold_tags))
        times.append(time.process_time() - begin)
    n_words = sum(map(len, gold))
    las = round(dodona.evaluate(gold, found).las, 2)
    print(json.dumps({"LAS": las, "words/s": int(round(n_words / min(times), -2))}))


if __name__ == "__main__":
    typer.run(main)
