"""Score and time graphs made from trees: the tree itself, rules alone, rules and weights.

python bench/enhancing.py --data DIR --treebank en_ewt [--model en] [--also en_gumfree]

The trees are those of the dev set, those of a model for its words, and those of the model for its
raw text.
"""

from __future__ import annotations

import time
from typing import Annotated

import measure
import typer
from rich.console import Console
from rich.table import Table

import dodona
from dodona.enhancing.enhancer import Enhancer
from dodona.enhancing.training import train_enhancer
from dodona.evaluation import evaluate_graphs
from dodona.treebank.graphs.enhanced import with_graph
from dodona.treebank.raw_text import raw_text

BATCH = 256  # sentences, as in a stream


def copied(sentence: dodona.Sentence) -> dodona.Sentence:
    """Return the sentence with its tree as its graph."""
    words = range(1, len(sentence) + 1)
    heads = [head or 0 for head in sentence.heads]
    return with_graph(sentence, zip(heads, sentence.deprels, words, strict=True))


def words_per_second(enhancer: Enhancer, parsed: list[dodona.Sentence], repeat: int) -> float:
    """Return the speed on one core, in CPU time, of the fastest run."""
    batches = [parsed[i : i + BATCH] for i in range(0, len(parsed), BATCH)]
    found = []
    for _ in range(repeat + 1):
        begin = time.process_time()
        for batch in batches:
            enhancer.enhance(batch)
        found.append(time.process_time() - begin)
    return sum(map(len, parsed)) / min(found)


def main(
    data: measure.Data,
    treebank: Annotated[
        str, typer.Option(help="The treebank; it needs the DEPS column.")
    ] = "en_ewt",
    also: Annotated[str, typer.Option(help="A second treebank to learn from.")] = "",
    model: Annotated[str, typer.Option(help="A model whose trees are used; else gold ones.")] = "",
    repeat: Annotated[int, typer.Option(help="Runs; the fastest counts.")] = 5,
) -> None:
    """Train an enhancer, and score its graphs on the dev set."""
    measure.use_one_core()
    names = [treebank, also] if also else [treebank]
    train = [s for name in names for s in dodona.read(data / name / "train.conllu")]
    gold = list(dodona.read(data / treebank / "dev.conllu"))
    begin = time.process_time()
    enhancer = train_enhancer(train)
    taken = time.process_time() - begin
    rules = Enhancer(enhancer.inventory.rules_only(), enhancer.labels, enhancer.weights)
    trees = {"gold trees": gold}
    if model:
        parser = dodona.load(model)
        trees["words given"] = list(parser.pipe(gold, retag=True))
        trees["raw text"] = list(parser("".join(raw_text(gold))))
    table = Table(title=f"{treebank}, dev set: ELAS and EULAS")
    for title in ("trees", "the tree", "rules", "rules and weights", "EULAS"):
        table.add_column(title, justify="right")
    for name, parsed in trees.items():
        made = [map(copied, parsed), rules.pipe(parsed), enhancer.pipe(parsed)]
        scores = [evaluate_graphs(gold, each, text=name == "raw text") for each in made]
        table.add_row(name, *(f"{each.elas:.2f}" for each in scores), f"{scores[-1].eulas:.2f}")
    Console().print(table)
    speed = words_per_second(enhancer, list(trees.values())[-1], repeat)
    size = len(enhancer.to_bytes()) / 1e6
    print(f"{enhancer!r}: trained in {taken:.0f} s, {size:.2f} MB, {speed:,.0f} words/s")


if __name__ == "__main__":
    typer.run(main)
