"""Kill a process that annotates, many times; measure how long a change takes.

python bench/workbench.py kill [--times N]
python bench/workbench.py speed TREEBANK [--model NAME] [--learning]

`kill` ends a process by SIGKILL at random moments while it changes, undoes and saves, starts a
workbench on what it left, and stops with an error if a change that was acknowledged is not there
or the file is not valid. `speed` sets arcs and tags as in the treebank in its sentences of 55 to 65
words, and prints how long a change takes until its new tree is there: with `--learning`, while a
linear model learns from 1,500 sentences of the treebank in the background.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Annotated

import typer

from dodona.annotate import Workbench
from dodona.annotate.changes import SetArc, SetField
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from support.annotate_killing import kill_once
from support.annotating import write

LENGTHS = range(55, 66)
N_SENTENCES, N_LEARNED = 40, 1500
app = typer.Typer(pretty_exceptions_enable=False)


@app.command()
def kill(
    times: Annotated[int, typer.Option(help="how often a process is killed")] = 200,
    seed: Annotated[int, typer.Option(help="of the random moments")] = 1,
) -> None:
    """Kill a process that annotates, and check what it leaves."""
    rng, n_changes = Random(seed), 0
    with TemporaryDirectory() as folder:
        path = write(Path(folder))
        for number in range(times):
            n_changes += kill_once(path, seed * times + number, rng.random() * 0.5)
    print(f"{times} times killed: {n_changes:,} acknowledged changes, none lost, file always valid")


@app.command()
def speed(
    treebank: Annotated[Path, typer.Argument(help="CoNLL-U with trees")],
    model: Annotated[str, typer.Option(help="name or path")] = "en",
    learning: Annotated[bool, typer.Option(help="while a model learns")] = False,
) -> None:
    """Measure how long a change takes."""
    gold = [*read(treebank)]
    long = [sentence for sentence in gold if len(sentence) in LENGTHS][:N_SENTENCES]
    data = b"".join(map(_bare, long)) + b"".join(map(bytes, gold[: N_LEARNED * learning]))
    with TemporaryDirectory() as folder, Workbench(write(Path(folder), data), model=model) as bench:
        if learning:
            bench.learn()
        wall, busy = (_measure(bench, long, clock) for clock in (perf_counter, process_time))
        state = bench.learning.state
    for name, seconds in (("elapsed", wall), ("CPU of this process", busy)):
        ranked = sorted(1000 * each for each in seconds)
        n, last = len(ranked), ranked[-1]
        print(f"{name}: {n} changes, median {ranked[n // 2]:.1f} ms, ", end="")
        print(f"p95 {ranked[n * 95 // 100]:.1f} ms, longest {last:.1f} ms (learning: {state})")


def _bare(sentence: Sentence) -> bytes:
    return bytes(Sentence.from_columns(sentence.forms))


def _measure(bench: Workbench, gold: list[Sentence], clock: Callable[[], float]) -> list[float]:
    rng, found = Random(1), []
    for index, sentence in enumerate(gold):
        view = bench.sentence(index)
        for number in range(5):
            word = sentence[rng.randrange(len(sentence))]
            assert word.head is not None
            change = SetField(word.id, "upos", word.upos) if number == 4 else None
            start = clock()
            arc = SetArc(word.id, word.head, word.deprel)
            view = bench.change(index, view.revision, change or arc)
            found.append(clock() - start)
    return found


if __name__ == "__main__":
    app()
