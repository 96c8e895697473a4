"""Measure time and memory of Brown clustering on the sentences of treebanks.

python bench/clustering.py --data DIR [--words 1000000] [--clusters 200]
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import typer
from measure import Data, apart, machine, peak_memory, use_one_core
from rich.console import Console
from rich.table import Table

from dodona.clustering.clusters import cluster, read_words


def text(data: Path, n_words: int) -> list[list[str]]:
    """Yield sentences of all treebanks, training sets first, up to a number of words."""
    files = [
        file for part in ("train", "test", "dev") for file in sorted(data.glob(f"*/{part}.conllu"))
    ]
    if not files:
        raise SystemExit(f"{data}: no <treebank>/train.conllu in it")
    found: list[list[str]] = []
    n_left = n_words
    for sentence in chain.from_iterable(map(read_words, files)):
        found.append(list(islice(sentence, n_left)))
        n_left -= len(found[-1])
        if not n_left:
            break
    return found


def run(data: Path, n_words: int, clusters: int) -> dict[str, float]:
    """Cluster once, in a separate process."""
    use_one_core()
    sentences = text(data, n_words)
    begin, cpu, before = time.perf_counter(), time.process_time(), peak_memory() or 0
    words = cluster(sentences, clusters=clusters)
    return {
        "words": sum(map(len, sentences)),
        "types": len(words),
        "seconds": time.perf_counter() - begin,
        "of the processor": time.process_time() - cpu,
        "MiB beyond the text": ((peak_memory() or 0) - before) / 2**20,
    }


def rows(data: Path, n_words: int, clusters: list[int]) -> Iterator[tuple[str, ...]]:
    for n_clusters in clusters:
        found = apart(run, data, n_words, n_clusters)
        yield (str(n_clusters), *(f"{value:,.0f}" for value in found.values()))


def main(
    data: Data,
    words: Annotated[int, typer.Option(help="Maximal number of running words.")] = 1_000_000,
    clusters: Annotated[list[int], typer.Option(help="How many; repeatable.")] = [200],  # noqa: B006
) -> None:
    """Cluster the words of the treebanks and report the time."""
    names = ("clusters", "words", "types", "seconds", "of the processor", "MiB beyond the text")
    table = Table(*names, title=f"one core of {machine()['processor']}")
    for row in rows(data, words, clusters):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
